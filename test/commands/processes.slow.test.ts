import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProject, documentOf, EMPTY_FIXTURE, scenario, type TestProject } from './project.js';

// Other tests run most commands within their own process. Here, each verb is a process, as for users.
let project: TestProject;

beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'fixtures/small.yaml': scenario('small', { steps: ['say: x'] }),
    '.agents/scripts/README.md': '',
  });
  await project.run(['small', '--name', 'other']);
});
afterAll(() => project.remove());

test('run follows a sweep to its end, prints one document, and exits', async () => {
  const { exitCode, stdout, stderr } = await project.start(['run', 'small', '--no-cache', '--name', 'real', '--json']);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  expect(documentOf(stdout).totals).toMatchObject({ cells: 1, passed: 1 });
});

test('--env-file is an option of the command, and Node does not read that file', async () => {
  await project.write('own.env', 'NODE_OPTIONS=--title=taken-by-node\n');
  const given = ['--env-file', join(project.folder, 'own.env')];
  const { exitCode, stdout } = await project.start(['run', 'small', '--no-cache', '--json', ...given]);
  expect(exitCode).toBe(0);
  expect(documentOf(stdout).totals).toMatchObject({ passed: 1 });
  const missing = await project.start(['run', 'small', '--env-file', '/nonexistent', '--json']);
  expect(missing.exitCode).toBe(2);
  expect(JSON.parse(missing.stdout)).toMatchObject({ error: { code: 'env_file' } });
});

/** A verb, the arguments, the exit code, and what it prints. */
const STARTS: [string, string[], number, RegExp][] = [
  ['validate', ['validate'], 0, /^1 scenario file is valid$/],
  ['scenarios', ['scenarios'], 0, /small/],
  ['plan', ['plan', 'small'], 0, /to show a change of 20 points/],
  ['show', ['show', 'real'], 0, /pass/],
  ['report', ['report', 'real'], 0, /^## /],
  ['compare', ['compare', 'other', 'real'], 0, /small/],
  ['export', ['export', 'real', '--harbor', 'jobs', '--json'], 0, /"trials"/],
  ['merge', ['merge', 'other-results'], 2, /is no results folder/],
  ['sweeps', ['sweeps'], 0, /real-/],
  ['audit', ['audit'], 0, /start/],
  ['clean', ['clean', '--older-than', '0d', '--dry-run'], 0, /would delete/],
  ['resume', ['resume', 'real', '--json'], 0, /"completed"/],
  ['retry', ['retry', 'real', '--json'], 0, /"completed"/],
  ['pause', ['pause', 'real'], 0, /real-/],
  ['cancel', ['cancel', 'real'], 0, /real-/],
  ['ui', ['ui', 'real'], 3, /Web UI/],
  ['init', ['init', 'made'], 0, /llm-tool-test run/],
  ['import', ['import', 'prompts.csv', '--skill', 'none'], 2, /cannot be read/],
  ['schema', ['schema'], 0, /"\$schema"/],
  ['doctor', ['doctor', '--json'], 0, /"checks"/],
  ['completion', ['completion', 'bash'], 0, /complete-words/],
  ['complete-words', ['complete-words', 'val'], 0, /^validate/],
  ['scripts', ['scripts', 'list', '--json'], 0, /"scripts"/],
  ['engine', ['engine', 'status', '--json'], 0, /"running"/],
  ['regrade', ['regrade', 'real', '--dry-run'], 0, /small/],
  ['schedule', ['schedule', 'list'], 0, /no schedules yet/],
  ['scenario', ['scenario', 'run', 'none.yaml'], 2, /was not found/],
  ['try', ['try', 'none-such'], 2, /is not on PATH/],
  ['worker', ['worker'], 2, /--results <place>/],
  ['workers', ['workers', 'list'], 2, /is not shared/],
  ['codec-server', ['codec-server'], 2, /LLM_TOOL_TEST_CODEC_KEYS/],
  ['an unknown verb', ['rnu', '--json'], 2, /"usage"/],
];

test.each(STARTS)('%s prints its result and exits as a process of its own', async (_verb, args, code, prints) => {
  const { exitCode, stdout, stderr } = await project.start(args);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: code });
  expect(code === 0 ? stdout : stdout + stderr).toMatch(prints);
});

test('view prints its address, and ends when it is interrupted', async () => {
  const view = project.start(['view', '--no-open']);
  await once(view.stdout, 'data');
  view.kill('SIGINT');
  const { stdout, exitCode } = await view;
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(/http:\/\/127\.0\.0\.1:\d+/) as string,
  });
});

test('every verb is started here', async () => {
  const { stdout } = await project.start(['--help']);
  const verbs = [...stdout.matchAll(/^ {2}([a-z][a-z-]+)\S* .*$/gm)].map(([, verb]) => verb);
  expect(verbs.length).toBeGreaterThan(20);
  const started = [...STARTS.map(([verb]) => verb), 'run', 'view', 'help'];
  expect(verbs.filter((verb) => verb === undefined || !started.includes(verb))).toEqual([]);
});
