import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { encodings } from '../../src/lib/redact-exact.js';
import { projectState } from '../../src/platform/folders.js';
import { killMarked } from '../../src/platform/marked-processes.js';
import { untilLines } from '../chaos/engine-parts.js';
import { createModelServer, type ModelServer } from './model-server.js';
import { everythingBelow, KEY, leaksIn, LINES, PLAIN, SECRET } from './planted.js';
import {
  createProject,
  EMPTY_FIXTURE,
  openRun,
  scenario,
  until,
  type RunFolder,
  type TestProject,
} from './project.js';

const SHELL = { DEEP_SECRET: SECRET, DEEP_LINES: LINES, DEEP_PLAIN: PLAIN, JUDGE_KEY: KEY };

const encode = `node -e 'const s = process.env.S; console.log(JSON.stringify({s}), JSON.stringify(JSON.stringify({s})), encodeURIComponent(s), Buffer.from(s).toString("base64"), Buffer.from("user:" + s).toString("base64"))'`;
/** So much that the rest is cut off inside the value: what the mock keeps of a tool's output, and records of commands. */
const cutAt = (length: number): string =>
  `node -e 'process.stdout.write("x".repeat(${length - 12}) + process.env.S + "y".repeat(40000))'`;

let project: TestProject;
let server: ModelServer;
let said = '';

beforeAll(async () => {
  server = await createModelServer();
  project = await createProject(EMPTY_FIXTURE);
  await project.write(
    'llm-tool-test-config.toml',
    [
      ...[
        '[agents.leaky]',
        'command = "node"',
        'args = ["../../../../../leaky.cjs"]',
        'free = true',
        'output = "jsonl"',
      ],
      ...['version_command = "echo version $S"', 'env = { S = "${DEEP_SECRET}", P = "${DEEP_PLAIN}" }'],
      ...[
        '[agents.plain]',
        'command = "sh"',
        `args = ["-c", "echo $S; printf '%s\\\\n' \\"$L\\"; echo $S >&2; exit 7"]`,
      ],
      ...['free = true', 'env = { S = "${DEEP_SECRET}", L = "${DEEP_LINES}" }'],
      ...[
        '[providers.house]',
        `base_url = "${server.address}/v1"`,
        'api_key = "${JUDGE_KEY}"',
        'free = true',
        '',
      ],
    ]
      .join('\n')
      .replace('../../../../../leaky.cjs', join(project.folder, 'leaky.cjs')),
  );
  // Every kind of event that an agent can print, and what it can leave in its workspace.
  await project.write(
    'leaky.cjs',
    `const fs = require('node:fs');
const { S, P } = process.env;
const say = (event) => console.log(JSON.stringify(event));
say({ type: 'session', session_id: 'id ' + S, model_requested: null, model_used: 'model ' + S });
say({ type: 'message', role: 'assistant', text: 'said ' + S });
say({ type: 'reasoning', text: 'thought ' + S });
say({ type: 'tool_call', id: S, name: 'tool ' + S, input: { [S]: [S, { deep: S }] }, command: 'cat --key ' + S });
say({ type: 'tool_result', id: S, exit_code: 1, is_error: true, output: 'out ' + S, truncated: false });
say({ type: 'tool_result', id: S, exit_code: 1, is_error: true, output: 'out ' + S.slice(0, 15), truncated: true });
say({ type: 'error', message: 'failed: ' + 'e'.repeat(277) + S, retryable: false });
console.log('stray ' + S);
console.error('stderr ' + S);
fs.writeFileSync('text.txt', 'a ' + S + ' b ' + P);
fs.writeFileSync('binary.bin', Buffer.concat([Buffer.from([0, 255]), Buffer.from(S), Buffer.from([0])]));
fs.mkdirSync('folder-' + P);
fs.writeFileSync('folder-' + P + '/name-' + P, '');
fs.symlinkSync('/tmp/' + P, 'link');
process.exitCode = 9;
`,
  );
  const gates = [
    `{type: script, description: message, command: ${JSON.stringify(`node -e 'console.log(JSON.stringify({passed: false, message: process.env.S, detail: {[process.env.S]: process.env.S}}))'`)}}`,
    '{type: command_output_contains, command: "echo $S", substring: nothing}',
    '{type: command_succeeds, command: "echo $S >&2; exit 3"}',
    '{type: file_exists, path: none}',
  ];
  const script = (stdout: string): string => JSON.stringify(stdout);
  const more = [
    `setup: {commands: ["echo $S; echo $S >&2; false", ${script(encode)}, ${script(cutAt(32 * 1024))}]}`,
    'scripts:',
    `  post: [{command: "echo $S; printf '%s\\\\n' \\"$L\\"; exit 2"}]`,
    '  evaluators:',
    `    - {name: one, command: ${script(`node -e 'const s = process.env.S; console.log(JSON.stringify({metrics: {[s]: s}, summary: s, score: 1}))'`)}}`,
    '    - {name: two, command: "echo $S; echo $S >&2; exit 4"}',
  ].join('\n');
  const target = `{binary: cat, health_check: "echo healthy $S", env: {S: '\${DEEP_SECRET}', L: '\${DEEP_LINES}', P: '\${DEEP_PLAIN}'}}`;
  const steps = [
    `run: ${script(encode)}`,
    `run: ${script(cutAt(64 * 1024))}`,
    `run: 'echo $S; printf "%s\\n" "$L"; echo "$L" > lines.txt'`,
  ];
  await project.write('fixtures/deep.yaml', scenario('deep', { target, gates, steps, more }));
  const ill = `{binary: cat, health_check: "echo sick $S >&2; exit 5", env: {S: '\${DEEP_SECRET}'}}`;
  await project.write('fixtures/ill.yaml', scenario('ill', { target: ill, steps: ['say: x'] }));
  await writeJudged(target);
  await project.write(
    'fixtures/lost.yaml',
    scenario('lost', {
      target,
      steps: [
        ...steps,
        `run: 'echo start >> ${project.folder}/starts; until [ -e ${project.folder}/go ]; do sleep 0.05; done'`,
      ],
    }),
  );
  said += await loseAgent();
  for (const args of [
    ['run', 'deep', '--agents', 'mock,leaky,plain', '--json'],
    ['run', 'deep', '--agents', 'mock'],
    ['run', 'ill', '--json'],
    ['run', 'judged', 'babbling', 'refused', '--json'],
    ['sweeps', '--json'],
  ]) {
    const { stdout, stderr } = await project.cli(args, SHELL);
    said += stdout + stderr;
  }
  for (const { id, sweep } of await project.resultLines()) {
    for (const args of [
      ['show', sweep],
      ['show', id],
      ['show', id, '--json'],
    ]) {
      const { stdout, stderr } = await project.cli(args, SHELL);
      said += stdout + stderr;
    }
  }
});
afterAll(async () => {
  await project.remove();
  await server.close();
});

/** Judges that are shown the secrets in files, names and outputs, and that say all they know. */
async function writeJudged(target: string): Promise<void> {
  const all = `${SECRET} ${encodings(SECRET).join(' ')} ${LINES} ${PLAIN} ${KEY}`;
  const judgment = {
    scores: { good: 1 },
    confidence: 1,
    issues: [all],
    highlights: [all],
    summary: all,
    [SECRET]: all,
  };
  server.script('judged', { say: JSON.stringify(judgment) });
  server.script('babbling', { say: all }, { say: JSON.stringify({ ...judgment, scores: { [SECRET]: 1 } }) });
  server.script('refused', { status: 401, body: JSON.stringify({ error: { message: all } }) });
  await project.write(
    'fixtures/rubric.yaml',
    'criteria: [{id: good, weight: 1, description: It is good}]\noutput: {format: json, require_fields: [summary]}\n',
  );
  const leave = [
    'echo "$S" > note.txt; echo "$S" >> README.md; printf "%s\\n" "$L" > lines.txt',
    'mkdir folder-$P; echo x > folder-$P/name-$P; ln -s /tmp/$P link',
    // The judge is shown the beginnings of files.
    `${cutAt(16 * 1024)} > cut.txt; ${encode} > encoded.txt`,
  ];
  const summary = `node -e 'const s = process.env.S; console.log(JSON.stringify({metrics: {[s]: s}, summary: s, score: 1}))'`;
  for (const name of ['judged', 'babbling', 'refused']) {
    const text = scenario(name, {
      target,
      gates: ['{type: command_output_contains, command: "echo $S; echo yes", substring: yes}'],
      steps: [...leave, 'echo "$S"; printf "%s\\n" "$L"'].map((command) => `run: ${JSON.stringify(command)}`),
      more: `scripts: {evaluators: [{name: e, command: ${JSON.stringify(summary)}}]}`,
    });
    const judge = `{enabled: true, rubric: rubric.yaml, pass_threshold: 0.5, model: house/${name}}`;
    await project.write(
      `fixtures/${name}.yaml`,
      text.replace('evaluation:', `evaluation:\n  judge: ${judge}`),
    );
  }
}

/** Runs an agent that dies with its supervisor when it has said the secrets, and is started again. */
async function loseAgent(): Promise<string> {
  const command = project.start(['run', 'lost', '--json'], SHELL);
  await untilLines(project, 'starts', 1);
  const work = join(projectState(project.results, project.state).folder, 'work');
  const run = await until(
    'the run',
    async () => (await readdir(work)).find((name) => name.includes('-lost-')) ?? null,
  );
  await killMarked(run);
  await untilLines(project, 'starts', 2);
  await project.write('go', '');
  const { stdout, stderr } = await command;
  return stdout + stderr;
}

/** The run of a scenario, by the agent of that name. */
async function runOf(scenarioName: string, agentName: string): Promise<RunFolder> {
  const line = (await project.resultLines()).find(
    ({ scenario_id, agent }) => scenario_id === scenarioName && agent === agentName,
  );
  return openRun({ cells: [{ results_dir: join(project.results, line?.results_dir ?? '') }] } as never);
}

test('the secrets were everywhere they were planted', async () => {
  const { metrics, text, run } = await runOf('deep', 'leaky');
  for (const masked of [
    JSON.stringify(metrics.details),
    JSON.stringify(metrics.evaluator_results),
    JSON.stringify(run.setup),
    JSON.stringify(run.post_scripts),
    run.agent?.message,
    run.agent?.session_id,
    run.agent?.version,
    JSON.stringify(run.target.health_check),
    await text('artifacts/transcript.human.txt'),
    await text('fixture/text.txt'),
  ]) {
    expect(masked).toContain('[REDACTED]');
  }
  expect(await text('artifacts/transcript.raw.txt')).toMatch(/\[stderr\] stderr \[REDACTED\]/);
  expect(await readdir(join(project.results, run.run_id, 'fixture'))).toContain('folder-[REDACTED]');
});

test('what is kept of a judge, usable or not, and of a lost start had them too', async () => {
  const [judged, babbling, refused, lost] = await Promise.all(
    ['judged', 'babbling', 'refused', 'lost'].map((name) => runOf(name, 'mock')),
  );
  expect(judged?.run).toMatchObject({
    outcome: 'pass',
    message: expect.stringContaining('judge 1.00') as string,
  });
  expect(JSON.stringify(judged?.metrics.judge)).toContain('[REDACTED]');
  const prompt = await judged?.text('artifacts/judge/prompt.md');
  for (const shown of [
    /note\.txt\n\[REDACTED\]/,
    /lines\.txt\n\[REDACTED\]/,
    /folder-\[REDACTED\]\/name-\[REDACTED\]/,
    /--- cut\.txt/,
  ])
    expect(prompt).toMatch(shown);
  expect(await judged?.text('artifacts/judge/answer-1.json')).toContain('[REDACTED]');
  for (const number of [1, 2, 3])
    expect(await babbling?.text(`artifacts/judge/answer-${number}.json`)).toContain('[REDACTED]');
  for (const failed of [babbling, refused]) expect(failed?.run.message).toContain('[REDACTED]');
  expect(lost?.run.agent?.starts).toBe(2);
  expect(await lost?.text('attempts/start-1/transcript.raw.txt')).toContain('[REDACTED]');
});

test('no judge is shown them', () => {
  for (const name of ['judged', 'babbling', 'refused']) {
    const asked = server.askedOf(name);
    expect(asked.length).toBeGreaterThan(0);
    for (const { body } of asked) expect([name, leaksIn(body)]).toEqual([name, []]);
  }
});

test('no file below the results has a handed-over value in its name or content, in whatever form', async () => {
  const files = await everythingBelow(project.results);
  expect(files.length).toBeGreaterThan(30);
  expect(
    files.flatMap(({ name, content }) =>
      // The workspace is searched for the values themselves: other forms are what an agent has made.
      leaksIn(name + '\n' + content)
        .filter((form) => !name.includes('/fixture/') || [SECRET, LINES, PLAIN].includes(form))
        .map((form) => `${name}: ${form}`),
    ),
  ).toEqual([]);
});

test('the state folder has them in the raw output and manifests of runs only, which nobody else can enter', async () => {
  const files = await everythingBelow(project.state);
  const places = files
    .filter(({ name, content }) => leaksIn(name + '\n' + content).length > 0)
    .map(({ name }) => name);
  expect(places.length).toBeGreaterThan(0);
  expect(places.filter((name) => !/\/work\/[^/]+\/(agent|steps)\//.test(name))).toEqual([]);
});

test('no command prints them', () => {
  expect(said).toContain('[REDACTED]');
  expect(leaksIn(said)).toEqual([]);
});

test('no history of a sweep or run in Temporal has them', async () => {
  const connection = await Connection.connect({ address: inject('temporalAddress') });
  const client = new Client({ connection });
  let workflows = 0;
  for (const sweep of new Set((await project.resultLines()).map((line) => line.sweep))) {
    for await (const { workflowId, runId } of client.workflow.list({ query: `SweepId = "${sweep}"` })) {
      workflows++;
      const handle = client.workflow.getHandle(workflowId, runId);
      const history = await handle.fetchHistory();
      // Payloads are bytes, which JSON shows in base64.
      const payloads = JSON.stringify(history, (_, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value,
      );
      expect(payloads.length).toBeGreaterThan(1000);
      expect(leaksIn(payloads), workflowId).toEqual([]);
    }
  }
  await connection.close();
  expect(workflows).toBeGreaterThanOrEqual(12);
});
