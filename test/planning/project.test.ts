import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { UsageError } from '../../src/lib/errors/usage-error.js';
import { openProject, projectByDefault } from '../../src/planning/project.js';
import { newFolder } from '../host/temporary.js';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('results are where the option says, else the variable, else the config', () => {
  vi.stubEnv('LLM_TOOL_TEST_RESULTS', 's3://team/results');
  expect(projectByDefault('here').resultsPath).toBe(resolve('here'));
  expect(projectByDefault().resultsPath).toBe('s3://team/results');
  vi.stubEnv('LLM_TOOL_TEST_RESULTS', '');
  expect(projectByDefault().resultsPath).toBe(resolve('llm-tool-test-results'));
});

describe('an agent of a registry', () => {
  const opened = async (registry: string | null) => {
    const folder = await newFolder();
    const table = '[agents.own]\nacp = true\nregistry = { file = "sub/registry.json", id = "own" }\n';
    await writeFile(join(folder, 'llm-tool-test-config.toml'), table);
    await mkdir(join(folder, 'sub'));
    if (registry !== null) await writeFile(join(folder, 'sub/registry.json'), registry);
    vi.spyOn(process, 'cwd').mockReturnValue(folder);
    return openProject();
  };
  const problemsOf = (registry: string | null): Promise<unknown> =>
    opened(registry).catch((error: unknown) => (error as UsageError).problems);

  test('is started as the registry says', async () => {
    const npx = { package: '@own/agent@1.2.3', args: ['--acp'] };
    const { config } = await opened(JSON.stringify({ agents: [{ id: 'own', distribution: { npx } }] }));
    expect(config.agents['own']).toMatchObject({
      command: 'npx',
      args: ['--no', '--', '@own/agent@1.2.3', '--acp'],
    });
  });

  test('is refused with the file and the line of the mistake', async () => {
    expect(await problemsOf('{\n"agents": [\n{"id": "own"}]}')).toMatchObject([
      { file: expect.stringMatching(/sub\/registry\.json$/) as string, line: 3, path: 'agents[0].distribution' },
    ]);
    expect(await problemsOf(null)).toMatchObject([
      { file: expect.stringMatching(/config\.toml$/) as string, line: 3, path: 'agents.own.registry.file' },
    ]);
  });
});
