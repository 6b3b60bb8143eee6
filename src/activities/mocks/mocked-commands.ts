import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Contents, type EnvironmentHandle, RUN_FOLDERS } from '#environments';
import { shellWord } from '#lib';
import { isCommandMock, mocksFileOf } from '#mocks';
import type { RunContext } from '../step/run-context.js';

const NODE = '.node';
const PROGRAM = '.mocked-command.js';
const MOCKS = '.mocks.json';

/** Folder with the records of calls. The agent can write there, because it makes the calls. */
export const callsFolder = ({ config }: Pick<RunContext, 'config'>): string => join(config, 'mocked-calls');
/** The same for calls of tools of MCP servers, which are made outside of a sandbox. */
export const toolCallsFolder = ({ root }: EnvironmentHandle): string =>
  join(root, RUN_FOLDERS.proxy, 'mocked-calls');

/**
 * Programs and scripts for the private folder that comes first on PATH. Node and its program are linked there, so that
 * a sandbox shows them. No mock can have their names.
 */
export function mockedCommands(context: RunContext): Pick<Contents, 'programs' | 'scripts'> {
  const { scenario, run, binaries } = context;
  const commands = (scenario.mocks ?? []).filter(isCommandMock);
  if (commands.length === 0) return { programs: {} };
  const own = [NODE, PROGRAM, MOCKS].map((name) => shellWord(join(binaries, name))).join(' ');
  const scriptOf = (command: string): string => `#!/bin/sh\nexec ${own} ${command} "$@"\n`;
  return {
    programs: {
      [NODE]: process.execPath,
      [PROGRAM]: fileURLToPath(new URL('../../mocks/mocked-command.js', import.meta.url)),
    },
    scripts: {
      [MOCKS]: JSON.stringify(mocksFileOf(run, scenario, callsFolder(context))),
      ...Object.fromEntries(commands.map(({ command }) => [command, scriptOf(command)])),
    },
  };
}
