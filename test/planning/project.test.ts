import { resolve } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { projectByDefault } from '../../src/planning/project.js';

afterEach(() => vi.unstubAllEnvs());

test('results are where the option says, else the variable, else the config', () => {
  vi.stubEnv('LLM_TOOL_TEST_RESULTS', 's3://team/results');
  expect(projectByDefault('here').resultsPath).toBe(resolve('here'));
  expect(projectByDefault().resultsPath).toBe('s3://team/results');
  vi.stubEnv('LLM_TOOL_TEST_RESULTS', '');
  expect(projectByDefault().resultsPath).toBe(resolve('llm-tool-test-results'));
});
