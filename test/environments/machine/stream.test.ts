import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { noteCopied, wayOfOutput } from '../../../src/environments/machine/stream.js';
import { write } from '../places.js';
import { newFolder } from '../../host/temporary.js';

it.each([
  [[], 'streamed'],
  [['1/out', '1/stream-a/sup'], 'streamed'],
  [['1/out'], 'never streamed'],
  [['1/out', '1/stream-a/sup', '2/out'], 'never streamed'],
  // The machine of the second start was gone before it began.
  [['1/out', '1/stream-a/sup', '2/in'], 'streamed'],
  [['1/out', '1/stream-a/sup', '2/out', '2/stream-b/sup', 'copied 2'], 'copied'],
  [['1/out', '1/stream-a/sup', '1/root'], 'streamed'],
  [['1/out', '1/stream-a/sup', '1/root', '2/out', '2/stream-b/sup'], 'after root'],
  [['1/out', '1/stream-a/sup', '2/out', '2/stream-b/sup', '2/root'], 'streamed'],
  [['1/out', 'copied 1'], 'never streamed'],
])('tells from the files %j that the output was %s', async (files, way) => {
  const journal = await newFolder();
  for (const file of files)
    if (file.startsWith('copied ')) noteCopied(join(journal, file.slice('copied '.length)));
    else write(journal, { [file]: '' });
  mkdirSync(join(journal, 'other'));
  expect(wayOfOutput({ journal })).toBe(way);
});
