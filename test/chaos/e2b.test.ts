import { Client, Connection } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { opaqueId } from '../../src/store/results-folder.js';
import { runWorkflowId } from '../../src/protocol/index.js';
import { sweepOf } from '../commands/gated.js';
import { kill, partOf, runsOf } from '../commands/engine-parts.js';
import {
  createProject,
  documentOf,
  EMPTY_FIXTURE,
  filesBelow,
  openRun,
  scenario,
  until,
  type TestProject,
} from '../commands/project.js';
import { KEY, startE2bServer, whyNoSandboxes, type E2bServer } from '../environments/e2b-server.js';
import { readFileSync } from 'node:fs';
import { WAITER } from './waiter.js';

const lacking = await whyNoSandboxes();
if (lacking !== null) console.warn(`sandboxes of E2B are not tested here: ${lacking}`);

/** As the model `slow`, it never answers. */
const JUDGE = `
[agents.judge]
command = "sh"
args = ["-c", '''
cat >/dev/null
[ "$0" != slow ] || sleep 1000
seen=$(ls -A; ls -d /llm-tool-test/*)
printf '{"issues": [], "highlights": [], "scores": {"done": 0.9}, "confidence": 1, "summary": "%s"}' "$(echo $seen)"
''', "{model}"]
prompt = "stdin"
free = true
`;
const RUBRIC = `
criteria: [{id: done, weight: 1, description: It is done}]
output: {format: json, require_fields: [summary]}
`;
const GATES = [
  '{type: file_exists, path: out.txt}',
  '{type: file_contains, path: out.txt, substring: after}',
  `{type: command_output_matches, command: 'wc -l <starts', pattern: '^\\s*1\\s*$'}`,
  `{type: command_succeeds, command: 'grep -q before "$LLM_TOOL_TEST_TRANSCRIPT" && tool'}`,
];
const PLACE = 'environment: {type: e2b}';
const SETUP = `setup: {commands: ["mkdir -p ../bin && printf '#!/bin/sh\\\\nexit 0\\\\n' >../bin/tool && chmod +x ../bin/tool"]}`;

/** A scenario of the other form, without an agent. */
const CODE = `
name: code
environment: {type: e2b}
setup:
  virtual_fs: {notes.txt: "milk\\n"}
  database: {sqlite: data/notes.db, sql: "CREATE TABLE notes (body); INSERT INTO notes VALUES ('bread');"}
run:
  - lang: bash
    code: cat notes.txt; echo "it's" >made.txt
    evaluations:
      - {type: string_contains, value: milk}
      - {type: file_exists, path: made.txt}
  - lang: python
    code: import sqlite3; print(sqlite3.connect('data/notes.db').execute('SELECT body FROM notes').fetchall())
    evaluations: [{type: string_contains, value: "[('bread',)]"}]
judgment: {strategy: all_pass}
`;

describe.skipIf(lacking !== null)('a sweep in sandboxes of E2B', () => {
  let project: TestProject;
  let server: E2bServer;
  let env: Record<string, string>;

  beforeAll(async () => {
    server = await startE2bServer();
    ({ env } = server);
    project = await createProject(EMPTY_FIXTURE);
    project.env['LLM_TOOL_TEST_LIMITS'] = '{"watchMs": 3000, "heartbeatMs": 4000}';
    await project.write('llm-tool-test-config.toml', `${WAITER}${JUDGE}`);
    await project.write('fixtures/rubric.yaml', RUBRIC);
    await project.write('code.scenario.yaml', CODE);
  });
  afterAll(async () => {
    await project.remove();
    await server.close();
  });
  afterEach(() => {
    server.faults.length = 0;
    server.onRequest.before = null;
  });

  const writeScenario = (name: string, prompt: string, gates = GATES, place = PLACE): Promise<void> =>
    project.write(
      `fixtures/${name}.yaml`,
      scenario(name, { gates, steps: ['say: x'], more: `${place}\n${SETUP}` }).replace('"do it"', prompt),
    );
  const writeJudged = (name: string, model: string): Promise<void> =>
    project.write(
      `fixtures/${name}.yaml`,
      scenario(name, { steps: ['say: x'], more: PLACE }).replace(
        'evaluation:',
        `evaluation:\n  judge: {enabled: true, rubric: rubric.yaml, pass_threshold: 0.6, model: 'agent:judge/${model}'}`,
      ),
    );
  const idOf = (name: string): string | null => {
    const runs = runsOf(project, name).map(opaqueId);
    const isOwn = (text = ''): boolean => runs.some((run) => text.includes(run));
    return server.list().find(({ metadata }) => isOwn(metadata['llm-tool-test']))?.id ?? null;
  };
  /** Waits until the agent has printed, and returns the sandbox's id. */
  const working = async (name: string): Promise<string> => {
    const id = await until('the sandbox', () => idOf(name));
    await until('the agent', async () =>
      (await server.inside(id, 'cat /llm-tool-test/workspace/starts')) === 'x\n' ? true : null,
    );
    return id;
  };
  const letGo = (id: string): Promise<string> => server.inside(id, 'touch /llm-tool-test/workspace/go');

  it('passes with an agent and with code steps, leaves no sandbox, and its key is in no file', async () => {
    const before = { ...server.counts };
    await writeScenario('plain', 'README.md');
    const { exitCode, document, stderr } = await project.run(
      ['plain', 'code.scenario.yaml', '--agents', 'waiter'],
      env,
    );
    expect(document.cells.map(({ scenario, outcome, message }) => [scenario, outcome, message])).toEqual([
      ['plain', 'pass', '4/4 gates passed'],
      ['code', 'pass', '3/3 gates passed'],
    ]);
    expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
    const { run, text } = await openRun(document);
    expect(run).toMatchObject({ outcome: 'pass', environment: 'e2b', sandboxed: true, starts: 1 });
    expect(run.sandbox).toEqual({ filesystem: true, network: 'isolated' });
    expect(await text('fixture/out.txt')).toBe('after\n');
    expect(server.list()).toEqual([]);
    expect(server.counts).toEqual({ created: before.created + 2, killed: before.killed + 2 });
    const files = [...(await filesBelow(project.results)), ...(await filesBelow(project.state))];
    const holding = files.filter((file) => readFileSync(file).includes(KEY));
    expect(holding).toEqual([]);
  });

  it('fails if a gate does not hold', async () => {
    await writeScenario('unmet', 'README.md', ['{type: file_exists, path: none.txt}']);
    const { exitCode, document } = await project.run(['unmet', '--agents', 'waiter'], env);
    expect([exitCode, document.cells[0]?.outcome]).toEqual([1, 'fail']);
    expect(server.list()).toEqual([]);
  });

  it('is judged by an agent in a sandbox of its own', async () => {
    await writeJudged('judged', 'good');
    const { document } = await project.run(['judged', '--agents', 'mock'], env);
    const { run, metrics } = await openRun(document);
    expect(run).toMatchObject({ outcome: 'pass', message: expect.stringContaining('judge 0.90') as string });
    // Neither the workspace nor the results of the run.
    expect(metrics.judge?.fields).toEqual({ summary: '/llm-tool-test/judge' });
    expect(server.list()).toEqual([]);
  });

  it('adopts the agent after its worker was killed, with one start, one result and all output', async () => {
    const before = server.counts.created;
    await writeScenario('adopted', 'go');
    const command = project.start(['run', 'adopted', '--agents', 'waiter', '--json'], env);
    const id = await working('adopted');
    await kill(project, 'worker');
    await until('another worker', () => partOf(project, 'worker'));
    await letGo(id);
    const { exitCode, stdout } = await command;
    expect(exitCode).toBe(0);
    const { run, text } = await openRun(documentOf(stdout));
    expect(run).toMatchObject({ outcome: 'pass', starts: 1 });
    expect(await text('artifacts/transcript.raw.txt')).toBe('before\nafter\n');
    expect((await project.resultLines()).filter(({ scenario_id }) => scenario_id === 'adopted')).toHaveLength(1);
    expect([server.list(), server.counts.created]).toEqual([[], before + 1]);
  });

  it('ends the agents and both sandboxes when the sweep is cancelled', async () => {
    await writeScenario('cancelled', 'never');
    await writeJudged('half-judged', 'slow');
    const command = project.start(
      ['run', 'cancelled', 'half-judged', '--agents', 'waiter', '--name', 'stopped', '--json'],
      env,
    );
    await working('cancelled');
    const { exitCode } = await project.cli(['cancel', 'stopped']);
    expect(exitCode).toBe(0);
    const document = documentOf((await command).stdout);
    expect(document.cells.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled']);
    expect(server.list()).toEqual([]);
  });

  it('ends the sandbox of a terminated run', async () => {
    await writeScenario('cut', 'never');
    const command = project.start(['run', 'cut', '--agents', 'waiter', '--name', 'cut', '--json'], env);
    await working('cut');
    const connection = await Connection.connect({ address: inject('temporalAddress') });
    const run = runWorkflowId(await sweepOf(project, 'cut'), 'cut/waiter/m/default/1', 1);
    await new Client({ connection }).workflow.getHandle(run).terminate('by a test');
    expect((await command).exitCode).toBe(3);
    await until('the end of the sandbox', () => (server.list().length === 0 ? true : null));
    await connection.close();
  });

  it('starts the agent again in another sandbox if the first one ends while it works', async () => {
    await writeScenario('expired', 'go');
    const command = project.start(['run', 'expired', '--agents', 'waiter', '--json'], env);
    const first = await working('expired');
    server.expire(first);
    await until('another sandbox', () => idOf('expired'));
    const second = await working('expired');
    expect(second).not.toBe(first);
    await letGo(second);
    const { run } = await openRun(documentOf((await command).stdout));
    expect(run).toMatchObject({ outcome: 'pass', starts: 2 });
    expect(server.list()).toEqual([]);
  });

  it('is set up again in another sandbox if the first one ends during the setup', async () => {
    await project.write(
      'fixtures/again.yaml',
      scenario('again', {
        gates: ['{type: file_exists, path: go}'],
        steps: ['say: x'],
        more: `${PLACE}\nsetup: {commands: ["touch begun; until [ -e go ]; do sleep 0.1; done"]}`,
      }),
    );
    const begun = 'ls /llm-tool-test/workspace/begun';
    const settingUp = async (not = ''): Promise<string> => {
      const id = await until('a sandbox', () => (idOf('again') === not ? null : idOf('again')));
      await until('the setup', async () => ((await server.inside(id, begun)) === '' ? null : true));
      return id;
    };
    const command = project.start(['run', 'again', '--agents', 'mock', '--json'], env);
    const first = await settingUp();
    server.expire(first);
    await letGo(await settingUp(first));
    const { run } = await openRun(documentOf((await command).stdout));
    expect(run).toMatchObject({ outcome: 'pass', starts: 1 });
    expect(server.list()).toEqual([]);
  });

  it('ends with an error, not a failure, if its sandbox ends while the gates are checked', async () => {
    await writeScenario('gone', 'README.md', [
      `{type: command_succeeds, command: 'touch checking; until [ -e never ]; do sleep 0.1; done'}`,
      '{type: file_exists, path: out.txt}',
    ]);
    const command = project.start(['run', 'gone', '--agents', 'waiter', '--json'], env);
    const id = await until('the sandbox', () => idOf('gone'));
    const isChecking = 'ls /llm-tool-test/workspace/checking';
    await until('the gate', async () => ((await server.inside(id, isChecking)) === '' ? null : true));
    server.expire(id);
    const { metrics } = await openRun(documentOf((await command).stdout));
    expect(metrics).toMatchObject({ outcome: 'error' });
    expect(metrics.details.map(({ status }) => status)).toEqual(['error', 'error']);
  });

  it('is ended once, with one result, if the worker is killed while it ends the sandbox', async () => {
    const before = { ...server.counts };
    await writeScenario('torn', 'README.md');
    let asked = 0;
    let letGo = (): void => undefined;
    const released = new Promise<void>((resolve) => (letGo = resolve));
    server.onRequest.before = async (method) => {
      if (method !== 'DELETE') return;
      asked++;
      await released;
    };
    const command = project.start(['run', 'torn', '--agents', 'waiter', '--json'], env);
    await until('the end of the sandbox to be asked for', () => (asked > 0 ? true : null));
    await kill(project, 'worker');
    await until('it to be asked for again', () => (asked > 1 ? true : null));
    const results = async () =>
      (await project.resultLines()).filter(({ scenario_id }) => scenario_id === 'torn').length;
    expect([await results(), idOf('torn')]).toEqual([0, expect.any(String)]);
    letGo();
    const { exitCode, stdout } = await command;
    const { run } = await openRun(documentOf(stdout));
    expect([exitCode, run.outcome, run.starts]).toEqual([0, 'pass', 1]);
    expect(run.warnings.join()).not.toContain('could not be removed');
    expect(run.steps.find(({ name }) => name === 'report')?.attempts).toBe(2);
    expect(await results()).toBe(1);
    expect(server.list()).toEqual([]);
    expect(server.counts).toEqual({ created: before.created + 1, killed: before.killed + 1 });
  });

  it('is named in the report and by doctor if it cannot be ended, and has ended later', async () => {
    await writeScenario('left', 'README.md');
    const fault = { method: 'DELETE', path: /sandboxes/, status: 500, times: 1000 };
    server.faults.push(fault);
    const { document } = await project.run(['left', '--agents', 'waiter'], env);
    const id = idOf('left') ?? 'none';
    const { run } = await openRun(document);
    expect(run.outcome).toBe('pass');
    expect(run.warnings.join('\n')).toMatch(
      new RegExp(
        `could not be removed: E2B sandbox of llm-tool-test-\\w+-\\w+: cannot end the sandbox ${id} of E2B: 500`,
      ),
    );
    const { stdout } = await project.cli(['doctor', '--json'], env);
    expect(stdout).toContain('E2B sandbox of ');
    fault.times = 0;
    await kill(project, 'worker');
    await until('the end of the sandbox', () => (server.list().length === 0 ? true : null));
  });

  it('ends with an error at once if E2B knows no such template', async () => {
    await writeScenario('untemplated', 'x', [], 'environment: {type: e2b, template: missing}');
    const { document } = await project.run(['untemplated', '--agents', 'waiter'], env);
    expect(document.cells[0]).toMatchObject({
      outcome: 'error',
      message: expect.stringContaining(
        "cannot create a sandbox of E2B from the template missing: 404: template 'missing' not found",
      ) as string,
    });
  });
});
