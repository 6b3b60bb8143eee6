import { expect, test } from 'vitest';
import { payloadConverter } from '../../src/workflows/converters.js';

const malformed = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('{') };
const namespace = 'default';

test.each([
  ['an activity', { type: 'activity', namespace, isLocal: false } as const],
  ['another workflow', { type: 'workflow', namespace, workflowId: 'another' } as const],
])('a result of %s that is not valid is an error', (_, context) => {
  expect(() => payloadConverter.fromPayload(malformed, context)).toThrow();
});
