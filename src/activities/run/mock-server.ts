import { existsSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { delimiter } from 'node:path';
import { anyFreePort, isFree, killProcess } from '#engine';
import { isAlive, spawnDetached, waitUntil, writeNote } from '#host';
import {
  isCommandMock,
  isEndpointMock,
  LOOPBACK,
  mockServerFolder,
  mocksFile,
  mocksFileOf,
  portFile,
  readPort,
  readServer,
  requestsFolder,
  serverFile,
  type ServerFile,
  startProblemFile,
  stepFile,
} from '#mocks';
import type { RunPaths } from './run-paths.js';
import type { RunIdentity } from './context.js';

/** The server of a run's mocked endpoints. */
export interface MockServer {
  folder: string;
  /** The description of its mocks. */
  mocks: ServerFile;
}

/** The time beyond its longest step that a run may leave its server alone. */
const IDLE_SECS = 3600;

const START_MS = 30_000;

/** The server of the scenario's mocked endpoints; null if it has none. */
export const mockServerOf = ({
  state,
  run,
  scenario,
}: Pick<RunIdentity, 'state' | 'run' | 'scenario'>): MockServer | null => {
  const { mocks = [], steps } = scenario;
  return mocks.some(isEndpointMock)
    ? {
        folder: mockServerFolder(state),
        mocks: {
          ...mocksFileOf(run, scenario, requestsFolder(mockServerFolder(state))),
          idle_secs: Math.max(...steps.map(({ timeout_secs }) => timeout_secs)) + IDLE_SECS,
        },
      }
    : null;
};

const urlAt = (port: number): string => `http://${LOOPBACK}:${port}`;

/** The port of the server; null if none is kept yet. */
export const mockServerPort = ({ folder }: Pick<MockServer, 'folder'>): number | null => readPort(folder);

/**
 * Chooses the port of the server before anything runs: a sandbox must know it. If another program has taken it since
 * an earlier attempt, another one is chosen.
 */
export async function chooseMockPort({ folder }: Pick<MockServer, 'folder'>): Promise<void> {
  const kept = readPort(folder);
  if (kept !== null && (isUp(folder) || (await isFree(kept)))) return;
  writeNote(portFile(folder), String(await anyFreePort()));
}

/**
 * Starts the server unless it is running, and tells it the step. Returns its address. It outlives this process.
 * @throws Error if it cannot listen, for example because another program has taken its port
 */
async function keepMockServer({ folder, mocks }: MockServer, step: string): Promise<string> {
  writeNote(stepFile(folder), step);
  const port = readPort(folder);
  if (port === null) throw new Error('the run has no port for its mocked endpoints');
  if (isUp(folder)) return urlAt(port);
  rmSync(startProblemFile(folder), { force: true });
  writeNote(mocksFile(folder), JSON.stringify(mocks));
  const program = fileURLToPath(new URL('./endpoint-server.js', import.meta.url));
  await spawnDetached({ argv: [process.execPath, program, folder, String(port)], cwd: folder, env: {} });
  const started = await waitUntil(
    () => (isUp(folder) ? 'up' : existsSync(startProblemFile(folder)) ? 'problem' : null),
    START_MS,
  );
  if (started === 'up') return urlAt(port);
  const why =
    started === null ? `it did not listen within ${START_MS / 1000} s` : readFileSync(startProblemFile(folder), 'utf8');
  throw new Error(`the server of mocked endpoints could not start: ${why}`);
}

function isUp(folder: string): boolean {
  const server = readServer(folder);
  return server !== null && isAlive(server);
}

/**
 * Ends the server, if there is one. Can be repeated. A server that is just starting ends by itself without its note.
 */
export async function endMockServer(state: string): Promise<void> {
  const folder = mockServerFolder(state);
  const server = readServer(folder);
  rmSync(serverFile(folder), { force: true });
  await killProcess(server);
}

/** The variable with the address of mocked endpoints. */
const MOCK_URL = 'LLM_TOOL_TEST_MOCK_URL';

/**
 * The environment variables of what a step starts. Mocked commands come first even on a PATH that the target or the
 * agent sets, and know the step. The server of mocked endpoints is started if it is not running.
 */
export async function withMocks(
  context: Pick<RunIdentity, 'state' | 'run' | 'scenario'> & Pick<RunPaths, 'binaries'>,
  step: string,
  env: Record<string, string>,
): Promise<Record<string, string>> {
  const { scenario, binaries } = context;
  const { mocks = [], mock_url_variables = [] } = scenario;
  const mockServer = mockServerOf(context);
  const url = mockServer === null ? null : await keepMockServer(mockServer, step);
  const addresses =
    url === null
      ? {}
      : {
          ...Object.fromEntries([MOCK_URL, ...mock_url_variables].map((name) => [name, url])),
          ...withoutProxy(env),
        };
  if (!mocks.some(isCommandMock)) return { ...env, ...addresses };
  const others = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== binaries);
  return { ...env, ...addresses, PATH: [binaries, ...others].join(delimiter), LLM_TOOL_TEST_STEP: step };
}

/** Variables that keep a proxy of the user away from loopback; none if there is no proxy. */
function withoutProxy(env: Record<string, string>): Record<string, string> {
  if (!Object.keys(env).some((name) => /^(https?|all)_proxy$/i.test(name))) return {};
  return Object.fromEntries(
    ['NO_PROXY', 'no_proxy'].map((name) => [name, [env[name] ?? '', LOOPBACK].filter(Boolean).join(',')]),
  );
}
