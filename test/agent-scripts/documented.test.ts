import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { privateCopy } from './private-copy.js';
import { REPOSITORY } from './readme.js';

test('the complete script in the documents works, with its command and error codes', async () => {
  const text = readFileSync(join(REPOSITORY, 'specs/how-to/agent-scripts.md'), 'utf8');
  const [, source = ''] = /```ts\n(import [^]*?)```/.exec(text) ?? [];
  const [, command = ''] = /`(deno run \S+ \.agents\/scripts\/count-lines\/run\.ts) <file>`/.exec(text) ?? [];
  const copy = await privateCopy();
  await copy.write('.agents/scripts/count-lines/run.ts', source);
  await copy.write('lines.txt', 'a\nbcd\nef\n');
  const answer = async (...words: string[]) => (await copy.command(command, words)).document;

  expect(await answer('lines.txt', '--longer-than', '1')).toEqual({
    success: true,
    data: { file: 'lines.txt', lines: 2 },
  });
  expect(await answer('none.txt')).toMatchObject({ code: 'FILE_NOT_FOUND' });
  expect(await answer()).toMatchObject({ code: 'MISSING_ARGUMENT' });
});
