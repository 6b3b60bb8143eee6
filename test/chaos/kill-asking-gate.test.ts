import { afterAll, beforeAll, expect, test } from 'vitest';
import { kill, partOf } from '../commands/engine-parts.js';
import { judged, judgedFiles, judgeEnv, judgment } from '../commands/judged-project.js';
import { createModelServer, type ModelServer } from '../commands/model-server.js';
import { createProject, documentOf, openRun, scenario, until, type TestProject } from '../commands/project.js';

let server: ModelServer;
let project: TestProject;

beforeAll(async () => {
  server = await createModelServer();
  project = await createProject(judgedFiles(server), { ownEngine: true });
});
afterAll(async () => {
  await project.remove();
  await server.close();
});

const answer = (confidence: number): string =>
  JSON.stringify({
    qualitative_summary: 'fine',
    capability_checklist: [],
    overall_success: true,
    confidence,
  });

test('SIGKILL of the worker while a gate waits for its second answer does not request the first one again', async () => {
  server.script('by-config', { say: answer(0.5) }, 'silence', { say: answer(1) });
  const gate = '{type: llm_judge, prompt: It is kind., votes: 2}';
  await project.write('fixtures/asking.yaml', scenario('asking', { gates: [gate], steps: ['say: hello'] }));
  const command = project.start(['run', 'asking', '--json'], judgeEnv(server));
  await until('the second request', () => (server.askedOf('by-config').length === 2 ? true : null));
  await kill(project, 'worker');
  await until('another worker', () => partOf(project, 'worker'));
  const { exitCode, stdout } = await command;
  expect(exitCode).toBe(0);
  expect(server.askedOf('by-config')).toHaveLength(3);
  const { run, metrics } = await openRun(documentOf(stdout));
  expect(run.asked).toMatchObject({ answers: 2 });
  expect(metrics.details).toMatchObject([{ status: 'pass', detail: { confidence: 0.75, votes: [true, true] } }]);
  expect(run.steps.find(({ name }) => name === 'gate 1')).toMatchObject({ status: 'done', attempts: 2 });
});

test('SIGKILL of the worker while a sample is judged again loses one answer, asks for only that again, and says so', async () => {
  server.script('kept', { say: judgment(1) });
  await project.write('fixtures/kept.yaml', judged('kept', 'house/kept'));
  await project.run(['kept', '--repeat', '3', '--name', 'kept'], judgeEnv(server));
  const before = server.askedOf('kept').length;
  const again = async () => (await project.resultLines()).filter(({ regraded_from: from }) => from !== undefined);
  server.script('kept', { say: judgment(1) }, 'silence', { say: judgment(1) });
  const command = project.start(['regrade', 'kept', '--sample', '2', '--json'], judgeEnv(server));
  await until('one run that was judged', async () => ((await again()).length === 1 ? true : null));
  await until('the other request', () => (server.askedOf('kept').length === before + 2 ? true : null));
  await kill(project, 'worker');
  const { exitCode, stdout } = await command;
  expect(exitCode).toBe(0);
  const { cells } = documentOf(stdout);
  expect(cells.map(({ outcome }) => outcome)).toEqual(['pass', 'pass']);
  expect(new Set((await again()).map(({ regraded_from: from }) => from?.run)).size).toBe(2);
  expect(server.askedOf('kept')).toHaveLength(before + 3);
  const judging = await Promise.all(cells.map(async (_, at) => (await openRun(documentOf(stdout), at)).run.steps));
  const attempts = judging.map((steps) => steps.find(({ name }) => name === 'judge')?.attempts);
  expect(attempts.sort()).toEqual([1, 2]);
});
