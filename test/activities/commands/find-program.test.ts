import { expect, test } from 'vitest';
import { findProgram } from '../../../src/activities/commands/find-program.js';
import type { CommandResult } from '../../../src/lib/commands/command.js';
import type { RunPlaces } from '../../../src/activities/run/context.js';

const ended = (exitCode: number | null, stdout = ''): CommandResult => ({
  ...{ exitCode, stdout, timedOut: exitCode === null, durationMs: 0 },
  ...{ stderr: '', stdoutBytes: stdout.length, stderrBytes: 0 },
});

/** Looks for a program in a container in which commands end like this, one after the other. */
async function find(...ends: CommandResult[]) {
  const left = [...ends];
  const exec = () => Promise.resolve(left.shift() ?? ended(1));
  const places = { environment: { exec }, handle: { type: 'docker', container: {} } } as unknown as RunPlaces;
  const found = await findProgram(places, 'agent', '/usr/bin');
  return { found, left: left.length };
}

test('is looked for again if a busy machine did not come to it in time', async () => {
  expect(await find(ended(null), ended(0, '/usr/bin/agent\n'))).toEqual({ found: '/usr/bin/agent', left: 0 });
  expect(await find(ended(null), ended(1))).toEqual({ found: null, left: 0 });
});

test('is missing only if the container says so', async () => {
  expect(await find(ended(1), ended(0, '/usr/bin/agent\n'))).toEqual({ found: null, left: 1 });
  await expect(find(ended(null), ended(null), ended(null))).rejects.toThrow(
    'it took longer than 20 s, 3 times, to look for agent in its environment (docker)',
  );
});
