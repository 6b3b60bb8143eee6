import { describe, expect, test } from 'vitest';
import { ElizaFile } from '../../../src/scenario/eliza/schema.js';
import { toRuntime } from '../../../src/scenario/eliza/runtime-fields.js';

const file = (change: object) => ElizaFile.parse({ name: 'greets', run: { input: 'hello' }, ...change });

describe('the runtime of an ElizaOS file', () => {
  test('consists of the character and the plugins, with or without a database', () => {
    const described = { character: { name: 'Ada' }, plugins: ['@elizaos/plugin-sql'] };
    const runtime = {
      character: { name: 'Ada' },
      plugins: [{ name: '@elizaos/plugin-sql', config: {}, enabled: true }],
    };
    expect(toRuntime(file(described))).toEqual(runtime);
    const empty = { entities: [], memories: [], relationships: [], cache: {} };
    expect(toRuntime(file({ ...described, setup: { database: empty } }))).toEqual({
      ...runtime,
      database: empty,
    });
  });

  test('may be a database alone', () => {
    const database = { entities: [], memories: [], relationships: [], cache: {} };
    expect(toRuntime(file({ setup: { database } }))).toEqual({ character: null, plugins: [], database });
  });

  test('is missing if the file describes none', () => {
    expect(toRuntime(file({}))).toBe(null);
  });
});
