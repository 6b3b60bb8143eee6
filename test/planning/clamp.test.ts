import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { moreThanMachine } from '../../src/environments/container/docker.js';
import { clamp } from '../../src/planning/clamp.js';
import type { ResolvedSweep } from '../../src/planning/resolve-sweep.js';
import { newFolder, setEnv } from '../host/temporary.js';

/** A sweep of one scenario whose container asks for this, on a machine with 2 processors and 4 GiB. */
async function sweepWith(asked: object): Promise<ResolvedSweep> {
  const bin = await newFolder();
  await writeFile(join(bin, 'docker'), '#!/bin/sh\n[ "$1" = info ] && echo "2 4294967296"\n');
  await chmod(join(bin, 'docker'), 0o755);
  setEnv({ PATH: `${bin}:${process.env['PATH'] ?? ''}` });
  const environment = { type: 'docker', command: 'docker', image: 'x', ...asked };
  const problemAt = (path: string[], message: string) => ({
    file: 't',
    line: 1,
    column: 2,
    path: path.join('.'),
    message,
  });
  return {
    scenarios: [{ variant: { problemAt }, effective: { scenario: { environment } } }],
  } as unknown as ResolvedSweep;
}

it('lowers what a container asks for to what the machine has, with a warning at its line', async () => {
  const { sweep, warnings } = await clamp(await sweepWith({ cpus: 8, memory_mb: 65_536 }));
  expect(warnings).toEqual([
    'warning: t:1:2 environment.cpus: 8 is lowered to 2, which this machine has',
    'warning: t:1:2 environment.memory_mb: 65536 is lowered to 4096, which this machine has',
  ]);
  expect(sweep.scenarios[0]?.effective).toMatchObject({
    scenario: { environment: { cpus: 2, memory_mb: 4096 } },
    clamped: { cpus: 8, memory_mb: 65_536 },
  });
});

it('leaves alone what the machine has', async () => {
  const asked = await sweepWith({ cpus: 2, memory_mb: 4096 });
  expect(await clamp(asked)).toEqual({ sweep: asked, warnings: [] });
  expect(await moreThanMachine({ command: 'docker', cpus: 2.5, memory_mb: 1 })).toEqual([
    { field: 'cpus', asked: 2.5, most: 2 },
  ]);
});
