import { expect, test } from 'vitest';
import { USAGE_CODES } from '../../src/lib/errors/usage-error.js';
import { documents } from './documents.js';

test('specs/reference/commands.md lists exactly the existing error codes', () => {
  const text = documents.find(({ path }) => path === 'specs/reference/commands.md')?.text ?? '';
  const [, list = ''] = /The codes of what ends with 2:\n\n([^]*?)\n\n/.exec(text) ?? [];
  const listed = [...list.matchAll(/`(\w+)`/g)].map(([, code]) => code);
  expect(listed.length).toBeGreaterThan(20);
  expect([...listed].sort()).toEqual([...USAGE_CODES].sort());
});
