import { delimiter } from 'node:path';
import { isCommandMock, LOOPBACK } from '#mocks';
import { keepMockServer } from './mock-server.js';
import type { RunContext } from './run-context.js';

/** The variable with the address of mocked endpoints. */
const MOCK_URL = 'LLM_TOOL_TEST_MOCK_URL';

/**
 * The environment variables of what a step starts. Mocked commands come first even on a PATH that the target or the
 * agent sets, and know the step. The server of mocked endpoints is started if it is not running.
 */
export async function withMocks(
  { scenario, binaries, mockServer }: Pick<RunContext, 'scenario' | 'binaries' | 'mockServer'>,
  step: string,
  env: Record<string, string>,
): Promise<Record<string, string>> {
  const { mocks = [], mock_url_variables = [] } = scenario;
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
