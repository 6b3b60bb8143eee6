import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Contents, type EnvironmentHandle, RUN_FOLDERS } from '#environments';
import { shellWord } from '#lib';
import {
  CallRecord,
  isCommandMock,
  isEndpointMock,
  isMcpMock,
  mockedName,
  mockServerFolder,
  mocksFileOf,
  MAX_CALLS,
  requestsFolder,
  whenArgs,
} from '#mocks';
import { fileText } from '#gates';
import { readTextIfThere } from '#host';
import { MockedCall, type MockedCalls } from '#model';
import type { RunIdentity, RunPlaces } from '../run/context.js';

const NODE = '.node';
const PROGRAM = '.mocked-command.js';
const MOCKS = '.mocks.json';

/** Folder with the records of calls. The agent can write there, because it makes the calls. */
export const callsFolder = ({ config }: Pick<RunPlaces, 'config'>): string => join(config, 'mocked-calls');
/** The same for calls of tools of MCP servers, which are made outside of a sandbox. */
export const toolCallsFolder = ({ root }: EnvironmentHandle): string => join(root, RUN_FOLDERS.proxy, 'mocked-calls');

/**
 * Programs and scripts for the private folder that comes first on PATH. Node and its program are linked there, so that
 * a sandbox shows them. No mock can have their names.
 */
export function mockedCommands(context: RunIdentity & RunPlaces): Pick<Contents, 'programs' | 'scripts'> {
  const { scenario, run, binaries } = context;
  const commands = (scenario.mocks ?? []).filter(isCommandMock);
  if (commands.length === 0) return { programs: {} };
  const own = [NODE, PROGRAM, MOCKS].map((name) => shellWord(join(binaries, name))).join(' ');
  const scriptOf = (command: string): string => `#!/bin/sh\nexec ${own} ${command} "$@"\n`;
  return {
    programs: {
      [NODE]: process.execPath,
      [PROGRAM]: fileURLToPath(new URL('./mocked-command.js', import.meta.url)),
    },
    scripts: {
      [MOCKS]: JSON.stringify(mocksFileOf(run, scenario, callsFolder(context))),
      ...Object.fromEntries(commands.map(({ command }) => [command, scriptOf(command)])),
    },
  };
}

/** The agent can write to the folder. The program of a mocked command writes less. */
const MAX_BYTES = 1024 * 1024;

type Context = Pick<RunIdentity, 'scenario' | 'state'> & Pick<RunPlaces, 'environment' | 'handle' | 'config'>;

/** The calls in one folder, and whether there are more than were read. */
interface Calls {
  calls: CallRecord[];
  more: boolean;
}

/** Reads the calls of what the scenario mocks; null if it mocks nothing. */
export async function readCalls(context: Context): Promise<MockedCalls | null> {
  const { mocks = [] } = context.scenario;
  if (mocks.length === 0) return null;
  const sources = [
    ...(mocks.some((mock) => !isEndpointMock(mock) && !isMcpMock(mock))
      ? [await callsInEnvironment(context, callsFolder(context))]
      : []),
    ...(mocks.some(isMcpMock) ? [await callsInEnvironment(context, toolCallsFolder(context.handle))] : []),
    ...(mocks.some(isEndpointMock) ? [await callsOfEndpoints(context.state)] : []),
  ];
  const calls = sources.flatMap(({ calls }) => calls);
  const errors = matcherErrors(calls);
  return {
    by_mock: mocks.map((mock, index) => ({
      command: mockedName(mock),
      args: whenArgs(mock).map(textOf),
      calls: calls.flatMap(({ mock: by, ...call }) => (by === index ? [MockedCall.parse(call)] : [])),
    })),
    unmatched: calls.flatMap(({ mock, command, ...call }) =>
      mock === null ? [{ command, ...MockedCall.parse(call) }] : [],
    ),
    ...(errors.length === 0 ? {} : { matcher_errors: errors }),
    more: sources.some(({ more }) => more),
  };
}

/** The calls of mocked commands, services and tools, which are recorded in the environment. */
const callsInEnvironment = ({ environment, handle }: Context, folder: string): Promise<Calls> =>
  readNumbered(async (name) => {
    const found = await environment.lookInside(handle, name, folder);
    if (found.kind === 'missing') return null;
    return found.kind === 'file' && found.bytes <= MAX_BYTES ? ((await fileText(found)) ?? '') : '';
  });

/** The calls of mocked endpoints, which their server records in the private state. */
const callsOfEndpoints = (state: string): Promise<Calls> =>
  readNumbered((name) => readTextIfThere(join(requestsFolder(mockServerFolder(state)), name)));

/** Reads the files of calls, which are numbered from 1. `read`: their text; null if there is none. */
async function readNumbered(read: (name: string) => Promise<string | null>): Promise<Calls> {
  const calls: CallRecord[] = [];
  for (let number = 1; number <= MAX_CALLS; number += 1) {
    const text = await read(`${number}.json`);
    if (text === null) return { calls, more: false };
    calls.push(...parse(text));
  }
  return { calls, more: (await read(`${MAX_CALLS + 1}.json`)) !== null };
}

/** The matchers that threw, each with the first message. */
function matcherErrors(calls: readonly CallRecord[]): NonNullable<MockedCalls['matcher_errors']> {
  const all = calls.flatMap(({ matcher_errors }) => matcher_errors);
  return [...new Set(all.map(({ mock }) => mock))]
    .sort((a, b) => a - b)
    .map((mock) => {
      const own = all.filter((error) => error.mock === mock);
      return { mock: mock + 1, message: own[0]?.message ?? '', calls: own.length };
    });
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A call that was killed while it was recorded left an incomplete file. */
function parse(text: string): CallRecord[] {
  try {
    const parsed = CallRecord.safeParse(JSON.parse(text));
    return parsed.success ? [parsed.data] : [];
  } catch {
    return [];
  }
}
