import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCalls } from '../../src/activities/mocks/mocked-commands.js';
import { local } from '../../src/environments/local.js';
import { CommandMock } from '../../src/mocks/command-mock.js';
import { EndpointMock } from '../../src/mocks/endpoint-mock.js';
import { newFolder } from '../host/temporary.js';
import type { LoadedRun, RunAccess } from '../../src/activities/run/context.js';

const SHOWN = { args: ['a'], step: 'agent', exit_code: 0, failed_by_chance: false };
const CALL = { mock: 0, command: 'gh', ...SHOWN };

/** A run that mocks `gh`, and the folder of its calls. */
async function recorded(): Promise<{ context: Parameters<typeof readCalls>[0]; calls: string }> {
  const config = await newFolder();
  const calls = join(config, 'mocked-calls');
  await mkdir(calls);
  const scenario = { mocks: [CommandMock.parse({ command: 'gh', when: { args: ['a'] } })] };
  const context = { environment: local, handle: {}, config, scenario } as unknown as LoadedRun & RunAccess;
  return { context, calls };
}

test('reads recorded calls in order, without what the agent may have put beside them', async () => {
  const { context, calls } = await recorded();
  const write = (number: number, text: string): Promise<void> => writeFile(join(calls, `${number}.json`), text);
  await write(1, JSON.stringify(CALL));
  await write(2, '');
  await write(3, JSON.stringify({ ...CALL, more: 1 }));
  await mkdir(join(calls, '4.json'));
  await writeFile(join(context.config, 'elsewhere'), JSON.stringify(CALL));
  await symlink(join(context.config, 'elsewhere'), join(calls, '5.json'));
  await write(6, `${JSON.stringify(CALL)}${' '.repeat(1024 * 1024)}`);
  await write(7, JSON.stringify({ ...CALL, mock: null, args: ['b'] }));
  await write(9, JSON.stringify(CALL));
  expect(await readCalls(context)).toEqual({
    by_mock: [{ command: 'gh', args: ['a'], calls: [SHOWN] }],
    unmatched: [{ command: 'gh', ...SHOWN, args: ['b'] }],
    more: false,
  });
});

test('reads at most 1000 calls, and tells whether there are more', async () => {
  const { context, calls } = await recorded();
  const write = (number: number): Promise<void> => writeFile(join(calls, `${number}.json`), JSON.stringify(CALL));
  for (let number = 1; number <= 1000; number += 1) await write(number);
  expect(await readCalls(context)).toMatchObject({ more: false });
  await write(1001);
  const read = await readCalls(context);
  expect(read?.more).toBe(true);
  expect(read?.by_mock[0]?.calls).toHaveLength(1000);
});

test('finds no calls if none was made, and nothing in a scenario without mocked commands', async () => {
  const { context } = await recorded();
  const config = await newFolder();
  expect(await readCalls({ ...context, config })).toMatchObject({ unmatched: [], more: false });
  expect(await readCalls({ ...context, scenario: { ...context.scenario, mocks: [] } })).toBeNull();
});

test('reads the calls of endpoints, which their server recorded elsewhere, and counts matchers that threw', async () => {
  const state = await newFolder();
  const calls = join(state, 'mock-server', 'calls');
  await mkdir(calls, { recursive: true });
  const record = { ...CALL, mock: 1, command: 'GET /a', exit_code: null, status: 200 };
  const thrown = { matcher_errors: [{ mock: 0, message: 'TypeError' }] };
  await writeFile(join(calls, '1.json'), JSON.stringify({ ...record, ...thrown }));
  await writeFile(join(calls, '2.json'), JSON.stringify({ ...record, ...thrown, mock: null, status: 501 }));
  const mocks = [
    EndpointMock.parse({ endpoint: 'GET /{x}', when: { matcher: 'nothing.here' } }),
    EndpointMock.parse({ endpoint: 'GET /a' }),
  ];
  const context = { environment: local, handle: {}, config: '', state, scenario: { mocks } };
  const shown = { ...SHOWN, exit_code: null, status: 200 };
  expect(await readCalls(context as unknown as LoadedRun & RunAccess)).toEqual({
    by_mock: [
      { command: 'GET /{x}', args: [], calls: [] },
      { command: 'GET /a', args: [], calls: [shown] },
    ],
    unmatched: [{ command: 'GET /a', ...shown, status: 501 }],
    matcher_errors: [{ mock: 1, message: 'TypeError', calls: 2 }],
    more: false,
  });
});
