import { execa } from 'execa';
import { expect, it } from 'vitest';
import { whoScript } from '../../../src/environments/machine/scripts.js';
import { findExecutable } from '../../../src/host/process/find-deno.js';
import { newFolder } from '../../host/temporary.js';

it('names all programs that an image lacks', async () => {
  const shell = findExecutable('dash') ?? findExecutable('bash') ?? 'sh';
  const { stderr } = await execa(shell, ['-c', whoScript], {
    env: { PATH: await newFolder() },
    reject: false,
  });
  expect(stderr.split('\n')).toEqual(expect.arrayContaining(['chown', 'id', 'setsid', 'tar']));
  expect(stderr).not.toContain('not found');
});
