import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCli } from '../../../src/environments/container/container-cli.js';
import { newFolder, setEnv } from '../../host/temporary.js';

it('says that a daemon does not answer', async () => {
  const bin = await newFolder();
  await writeFile(join(bin, 'docker'), '#!/bin/sh\nexec sleep 600\n');
  await chmod(join(bin, 'docker'), 0o755);
  setEnv({ PATH: `${bin}:${process.env['PATH'] ?? ''}` });
  expect(await runCli('docker', ['ps'], { timeoutMs: 10 })).toMatchObject({
    exitCode: -1,
    stderr: 'no answer within 0.01 s',
  });
});
