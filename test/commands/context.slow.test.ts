import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { markedProcesses } from '../../src/host/process/marked-processes.js';
import { opaqueId } from '../../src/store/results-folder.js';
import { NO_DENO_FILES, noDeno, printing, scriptFiles } from '../agent-scripts/project-script.js';
import { createProject, openRun, scenario, type TestProject } from './project.js';

const ECHO = 'console.log(JSON.stringify({ success: true, data: { args: Deno.args } }));\n';
const NO_FILE = { success: false, error: 'no such file', code: 'FILE_NOT_FOUND' };
const TOKEN = 'console.log(JSON.stringify({ success: true, data: { token: Deno.env.get("TOKEN") } }));\n';

const inFixture = (files: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`fixtures/tools/${path}`, text]));
const FILES = {
  ...inFixture({
    'README.md': 'nothing\n',
    ...scriptFiles('echo', ECHO),
    ...scriptFiles('files/missing', `${printing(NO_FILE)}Deno.exit(1);\n`),
    ...scriptFiles('garbage', 'console.log("hello");\n'),
    ...scriptFiles('hang', 'setInterval(() => {}, 1000);\n'),
    ...scriptFiles('token', TOKEN, '--allow-env=TOKEN'),
  }),
  'llm-tool-test-config.toml':
    '[agents.reader]\ncommand = "cat"\nprompt = "stdin"\nfree = true\n' +
    '[agents.told]\ncommand = "printf"\nargs = ["%s"]\nfree = true\n',
};

let project: TestProject;
beforeAll(async () => {
  project = await createProject(FILES);
});
afterAll(() => project.remove());

/** Writes a scenario with these items of context, in flow style. */
async function writeScenario(
  to: TestProject,
  name: string,
  context: string[],
  options: Parameters<typeof scenario>[1] = {},
): Promise<void> {
  const text = scenario(name, { steps: ['say: I begin.'], ...options })
    .replace('template_folder: empty', 'template_folder: tools')
    .replace('task: {prompt: "do it"}', `task: {prompt: "do it", context: [${context.join(', ')}]}`);
  await to.write(`fixtures/${name}.yaml`, text);
}

interface Event {
  type: string;
  role?: string;
  text?: string;
}
const eventsIn = (text: string): Event[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Event);

const TOLD = [
  'These scripts of the project were run before you began. Each is shown with its answer.',
  `$ deno run .agents/scripts/echo/run.ts 'two words'\n{"success":true,"data":{"args":["two words"]}}`,
  `$ deno run .agents/scripts/files/missing/run.ts\n${JSON.stringify(NO_FILE)}`,
].join('\n\n');
const PRIMING = ['{script: echo, args: [two words]}', '{script: files/missing}'];

describe('task.context', () => {
  test('gives the agent the answers of the scripts, failures too, and the report lists them', async () => {
    await writeScenario(project, 'primed', PRIMING, {
      gates: ['{type: agent_script, script: echo, args: [a], path: "$.args[0]", assertion: equals a}'],
      steps: ['say: I begin.', 'run: deno run .agents/scripts/echo/run.ts found'],
      more: 'scripts: {evaluators: [{name: echoed, script: echo, args: [b]}]}',
    });
    const { exitCode, document, stderr } = await project.run(['primed']);
    expect(exitCode, stderr).toBe(0);
    const { run, metrics, text } = await openRun(document);

    const events = eventsIn(await text('artifacts/events.jsonl'));
    expect(events[0]).toMatchObject({ type: 'message', role: 'system', text: TOLD });
    expect(events.findIndex((event) => event.text === 'I begin.')).toBeGreaterThan(0);
    const human = await text('artifacts/transcript.human.txt');
    expect(human).toContain("$ deno run .agents/scripts/echo/run.ts 'two words'");
    expect(human.indexOf('FILE_NOT_FOUND')).toBeLessThan(human.indexOf('I begin.'));
    expect(human).toContain('"found"'); // the agent finds Deno, as the scripts do

    expect(run.context).toMatchObject([
      { command: "deno run .agents/scripts/echo/run.ts 'two words'", exit_code: 0, timed_out: false },
      { command: 'deno run .agents/scripts/files/missing/run.ts', exit_code: 1, timed_out: false },
    ]);
    expect(run.steps.map(({ name, status }) => `${name}: ${status}`).slice(0, 4)).toEqual([
      'prepare: done',
      'context 1: done',
      'context 2: done',
      'agent: done',
    ]);
    const report = await text('report.md');
    expect(report).toMatch(/## Setup[^]*## Context[^]*files\/missing\/run\.ts[^]*## Agent/);
    expect(metrics.details).toMatchObject([{ status: 'pass', message: '$.args[0] equals a' }]);
    expect(metrics.evaluator_results).toMatchObject([{ name: 'echoed', metrics: { args: ['b'] }, error: null }]);
    // Commands of the harness do not count as the agent's.
    expect(metrics.efficiency).toMatchObject({ total_commands: 0 });
  });

  test.each(['reader', 'told'])(
    'is put before the prompt for the agent %s, which has no other channel',
    async (agent) => {
      await writeScenario(project, 'channel', PRIMING);
      const { document } = await project.run(['channel', '--agents', agent]);
      const { text } = await openRun(document);
      expect((await text('artifacts/transcript.raw.txt')).trim()).toBe(`${TOLD}\n\ndo it`);
    },
  );

  test('has secrets in answers masked in everything that is kept', async () => {
    await writeScenario(project, 'secretive', ['{script: token}'], {
      target: '{binary: cat, env: {TOKEN: "${TEST_TOKEN}"}}',
    });
    const secret = 'geheim-8f3a91c2d4';
    const { exitCode, document, stderr } = await project.run(['secretive'], { TEST_TOKEN: secret });
    expect(exitCode, stderr).toBe(0);
    const { text } = await openRun(document);
    for (const file of [
      'artifacts/events.jsonl',
      'artifacts/transcript.human.txt',
      'artifacts/run.json',
      'report.md',
    ]) {
      expect(await text(file)).toContain('token');
      expect(await text(file)).not.toContain(secret);
    }
  });
});

describe('the agent is not started, and the run ends as error', () => {
  /** The record of a run whose context could not be produced. */
  async function unprimed(on: TestProject, context: string[], env: Record<string, string> = {}, more = '') {
    const gates = ['{type: file_exists, path: README.md}'];
    await writeScenario(on, 'unprimed', context, { gates, more });
    const { exitCode, document } = await on.run(['unprimed'], env);
    expect(exitCode).toBe(3);
    const { run } = await openRun(document);
    expect(run).toMatchObject({ outcome: 'error', agent: null });
    expect(run.steps.find(({ name }) => name === 'agent')).toMatchObject({ status: 'not_performed' });
    return run;
  }

  test('if a script breaks the contract; later scripts are not run', async () => {
    const run = await unprimed(project, ['{script: echo}', '{script: garbage}', '{script: echo}']);
    expect(run.message).toBe('task.context: garbage broke the contract: stdout is not one JSON document: "hello"');
    expect(run.context.map(({ stdout }) => stdout)).toEqual([expect.stringContaining('success'), 'hello\n']);
    expect(run.steps.find(({ name }) => name === 'context 3')).toMatchObject({ status: 'not_performed' });
  });

  test('if a setup command has removed the script', async () => {
    const context = ['{script: echo}'];
    const { message, context: ran } = await unprimed(project, context, {}, 'setup: {commands: [rm -r .agents]}');
    expect(message).toMatch(/task\.context: there is no agent script 'echo'/);
    expect(ran).toEqual([]);
  });

  test('if a script times out; none of its processes is left', async () => {
    const run = await unprimed(project, ['{script: hang, timeout_secs: 1.5}']);
    expect(run.message).toBe('task.context: hang broke the contract: timed out after 1.5 s');
    expect(run.context).toMatchObject([{ timed_out: true }]);
    expect(markedProcesses(opaqueId(run.run_id))).toEqual([]);
  });

  test('if Deno is missing', async () => {
    const bare = await createProject({ ...FILES, ...NO_DENO_FILES });
    const { message } = await unprimed(bare, ['{script: echo}'], noDeno(bare.folder));
    expect(message).toMatch(/task\.context: Deno was not found, which agent scripts need: install it/);
    await bare.remove();
  });
});
