import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runFiles, stateOfRun } from '../../src/store/results-folder.js';
import { linesIn, stateOf } from './engine-parts.js';
import { judgment, judgedFiles, judged, judgeEnv } from './judged-project.js';
import { createModelServer, type ModelServer } from './model-server.js';
import { createProject, documentOf, openRun, scenario, type TestProject } from './project.js';

let server: ModelServer;
let project: TestProject;

/** Records its start, writes the name of its model to note.txt, and prints events. */
const AGENT = (folder: string): string => `#!/bin/sh
echo start >> ${folder}/starts
cat ${folder}/input.txt > /dev/null 2>&1
echo "$1" > note.txt
echo "I wrote $1."
`;

beforeAll(async () => {
  server = await createModelServer();
  project = await createProject(judgedFiles(server));
  const config = await project.read('llm-tool-test-config.toml');
  await project.write(
    'llm-tool-test-config.toml',
    `${config}\n[agents.own]\ncommand = "./agent.sh"\nargs = ["{model}"]\nmodels = ["one", "two"]\nfree = true\n`,
  );
  await project.write('agent.sh', AGENT(project.folder), 0o755);
});
afterAll(async () => {
  await project.remove();
  await server.close();
});

const starts = (): number => linesIn(project, 'starts').length;
const own = { more: 'tool_matrix: [{agent: own, models: [one, two]}]' };
const says = (text: string): string => `{type: file_contains, path: note.txt, substring: ${text}}`;
const write = (name: string, gates: string[], more = own.more): Promise<void> =>
  project.write(`fixtures/${name}.yaml`, scenario(name, { gates, more }));
const outcomesOf = ({ cells }: ReturnType<typeof documentOf>): (string | null)[] => cells.map(({ outcome }) => outcome);

test('changed gates are checked on the work of earlier runs, with the verdicts of a fresh run and no start of an agent', async () => {
  await write('note', ['{type: file_exists, path: note.txt}']);
  const { document: first } = await project.run(['note', '--name', 'note']);
  expect([outcomesOf(first), starts()]).toEqual([['pass', 'pass'], 2]);

  await write('note', ['{type: file_exists, path: note.txt}', says('one')]);
  const { exitCode, stdout } = await project.cli(['regrade', first.sweep, '--json']);
  const again = documentOf(stdout);
  expect([exitCode, outcomesOf(again), starts()]).toEqual([1, ['pass', 'fail'], 2]);
  expect(again.cells.map(({ regraded_from }) => regraded_from)).toEqual(
    first.cells.map(({ results_dir }) => ({
      run: results_dir?.split('/').at(-1),
      outcome: 'pass',
      paid_usd: 0,
    })),
  );
  const { run, metrics } = await openRun(again);
  expect(run).toMatchObject({ starts: 0, agent: { completed: true, starts: 1 } });
  expect(metrics.agent_work).not.toBeNull();
  expect(again.cells[0]?.duration_secs).toBe(first.cells[0]?.duration_secs);
  const dir = again.cells[0]?.results_dir ?? '';
  expect(await readFile(runFiles(dir).humanTranscript, 'utf8')).toContain('I wrote one.');
  expect(await readFile(join(runFiles(dir).fixture, 'note.txt'), 'utf8')).toBe('one\n');

  const { document: fresh } = await project.run(['note', '--no-cache']);
  expect([outcomesOf(fresh), starts()]).toEqual([['pass', 'fail'], 4]);
});

test('the result names the verdicts that have changed', async () => {
  await write('named', ['{type: file_exists, path: note.txt}']);
  const { document } = await project.run(['named']);
  await write('named', [says('two')]);
  const { stdout } = await project.cli(['rescore', document.sweep]);
  expect(stdout).toContain('checked again: 2 of 2, without running agents; changed: 1\n');
  expect(stdout).toMatch(/named +own\/one +pass → ✗ fail|named own\/one +pass → ✗ fail/);
});

test('a human review of the run stays with its work', async () => {
  await write('reviewed', [says('one')]);
  const { document } = await project.run(['reviewed']);
  const file = runFiles(document.cells[0]?.results_dir ?? '').evaluation;
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('<!-- Human Score: __/5 -->', 'Human Score: 4/5'));
  const { stdout } = await project.cli(['regrade', document.sweep, '--json']);
  const again = await project.cli(['show', documentOf(stdout).sweep, '--json']);
  expect(documentOf(again.stdout).cells.map(({ human }) => human?.points)).toEqual([4, undefined]);
});

test('a single run is checked again by its id', async () => {
  await write('single', ['{type: file_exists, path: note.txt}']);
  const { document } = await project.run(['single']);
  await write('single', [says('nothing')]);
  const id = document.cells[1]?.results_dir?.split('/').at(-1) ?? '';
  const { stdout } = await project.cli(['regrade', id, '--json']);
  expect(documentOf(stdout).cells).toMatchObject([{ model: 'two', outcome: 'fail', regraded_from: { run: id } }]);
});

test('--dry-run shows the verdicts and keeps nothing of them', async () => {
  await write('dry', ['{type: file_exists, path: note.txt}']);
  const { document } = await project.run(['dry', '--name', 'dry']);
  await write('dry', [says('one')]);
  const files = async () => [
    (await readdir(project.results)).filter((name) => name !== '.clean'),
    await readdir(join(project.results, 'sweeps')),
    await readdir(join(stateOf(project), 'work')),
    (await project.resultLines()).length,
  ];
  const before = await files();
  const { exitCode, stdout, stderr } = await project.cli(['regrade', document.sweep, '--dry-run']);
  expect(exitCode).toBe(1);
  expect(stdout).toContain('changed: 1\n');
  expect(stderr).toContain('dry run: no results were kept');
  expect(await files()).toEqual(before);
});

test.each([
  ['its prompt', own, 'task', 'steps[0].prompt'],
  ['its setup commands', { more: `${own.more}\nsetup: {commands: ['true']}` }, '', 'inputs.commands'],
])('a scenario that has changed in %s is refused, and nothing is started', async (_what, { more }, task, path) => {
  const text = scenario('other', { gates: [says('one')], more: own.more });
  await project.write('fixtures/other.yaml', text);
  const { document } = await project.run(['other']);
  const before = (await project.resultLines()).length;
  const changed = scenario('other', { gates: [says('one')], more });
  await project.write('fixtures/other.yaml', task === '' ? changed : changed.replace('do it', 'do something else'));
  const { exitCode, stdout } = await project.cli(['regrade', document.sweep, '--json']);
  expect(exitCode).toBe(2);
  const { error } = JSON.parse(stdout) as { error: { code: string; message: string } };
  expect(error.code).toBe('work_changed');
  expect(error.message).toContain(path);
  expect(await project.resultLines()).toHaveLength(before);
});

test('a run whose work was not kept is an error that says so', async () => {
  await write('gone', [says('one')]);
  const { document } = await project.run(['gone']);
  const [one, two] = document.cells.map(({ results_dir }) => results_dir ?? '');
  await rm(runFiles(one ?? '').fixture, { recursive: true });
  await rm(stateOfRun(stateOf(project), two?.split('/').at(-1) ?? ''), { recursive: true });
  const { exitCode, stdout } = await project.cli(['regrade', document.sweep, '--json']);
  const again = documentOf(stdout);
  expect([exitCode, outcomesOf(again)]).toEqual([3, ['error', 'error']]);
  expect(again.cells.map(({ message }) => message)).toEqual([
    expect.stringMatching(/the workspace of .* was not kept/),
    expect.stringMatching(/the private state of .* is not on this machine/),
  ]);
});

test('a judge is asked again, and only that is paid for', async () => {
  server.script('low', { say: judgment(0.1) });
  server.script('good', { say: judgment(1) });
  await project.write('fixtures/judged.yaml', judged('judged', 'house/low'));
  const { document } = await project.run(['judged'], judgeEnv(server));
  expect(outcomesOf(document)).toEqual(['fail']);
  await project.write('fixtures/judged.yaml', judged('judged', 'house/good'));
  const { stdout } = await project.cli(['regrade', document.sweep, '--json'], judgeEnv(server));
  expect(documentOf(stdout).cells).toMatchObject([{ outcome: 'pass', regraded_from: { outcome: 'fail' } }]);
  expect(server.askedOf('good')[0]?.body).toContain('echo milk > note.txt');
});

test('a regraded run is not compared with the run whose work it has checked', async () => {
  await write('same', [says('one')]);
  const { document } = await project.run(['same', '--name', 'same']);
  const { stdout } = await project.cli(['regrade', document.sweep, '--json']);
  const compared = await project.cli(['compare', document.sweep, documentOf(stdout).sweep, '--json']);
  expect(JSON.parse(compared.stdout)).toMatchObject({ total: { head: { tested: 0, shared: 2 } } });
});

test('run says when only checks have changed, and --regrade checks the work again', async () => {
  await write('again', ['{type: file_exists, path: note.txt}']);
  await project.run(['again']);
  const before = starts();
  await write('again', [says('one')]);
  const dry = await project.cli(['run', 'again', '--dry-run']);
  expect(dry.stderr).toContain(
    'only the checks of again have changed: --regrade checks the work of 2 earlier runs again instead of running agents',
  );
  const { document } = await project.run(['again', '--regrade', '--repeat', '2']);
  expect(outcomesOf(document)).toEqual(['pass', 'pass', 'fail', 'fail']);
  expect(document.cells.filter(({ regraded_from }) => regraded_from !== undefined)).toHaveLength(2);
  expect(starts()).toBe(before + 2);
  // All of them are results of what would be run now.
  const { document: cached } = await project.run(['again', '--repeat', '2']);
  expect([cached.totals.cached, starts()]).toEqual([4, before + 2]);
});

test('a cell that is named is run, although its work could be checked again', async () => {
  await write('named_cell', [says('one')]);
  await project.run(['named_cell']);
  await write('named_cell', [says('two')]);
  const { document } = await project.run(['named_cell', '--regrade']);
  const before = starts();
  const retried = await project.cli([...['retry', document.sweep, '--cell', document.cells[0]?.id ?? ''], '--json']);
  expect([outcomesOf(documentOf(retried.stdout)), starts()]).toEqual([['fail', 'pass'], before + 1]);
});

test('a workspace that was not kept as a whole is not checked again, or else its cell is run', async () => {
  await project.write(
    'fixtures/pipe.yaml',
    scenario('pipe', {
      gates: [says('one')],
      more: `${own.more}\nscripts: {post: [{command: mkfifo pipe}]}`,
    }),
  );
  const { document } = await project.run(['pipe']);
  const { exitCode, stdout } = await project.cli(['regrade', document.sweep, '--json']);
  const again = documentOf(stdout);
  expect([exitCode, outcomesOf(again)]).toEqual([3, ['error', 'error']]);
  expect(again.cells[0]?.message).toMatch(/the workspace of .* was not kept as a whole: pipe/);
  const before = starts();
  const run = await project.run(['pipe', '--regrade', '--no-cache']);
  expect([outcomesOf(run.document), starts()]).toEqual([['pass', 'fail'], before + 2]);
});

test('what only the mock does is no reason to run other agents', async () => {
  await project.write('fixtures/mocked.yaml', scenario('mocked', { gates: [says('one')], ...own, steps: ['say: a'] }));
  await project.run(['mocked']);
  const before = starts();
  await project.write('fixtures/mocked.yaml', scenario('mocked', { gates: [says('two')], ...own, steps: ['say: b'] }));
  const { document } = await project.run(['mocked', '--regrade']);
  expect([outcomesOf(document), starts()]).toEqual([['fail', 'pass'], before]);
});

test('with --regrade, agents run if something else has changed that their work depends on', async () => {
  await write('rebuilt', ['{type: file_exists, path: note.txt}']);
  await project.run(['rebuilt']);
  const before = starts();
  await write('rebuilt', [says('one')]);
  await project.write('agent.sh', `${AGENT(project.folder)}# another version\n`, 0o755);
  const { document } = await project.run(['rebuilt', '--regrade']);
  expect(document.cells.filter(({ regraded_from }) => regraded_from !== undefined)).toHaveLength(0);
  expect(starts()).toBe(before + 2);
});
