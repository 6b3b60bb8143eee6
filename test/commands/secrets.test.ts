import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { encodings } from '../../src/lib/redact-exact.js';
import { createProject, EMPTY_FIXTURE, openRun, scenario, type TestProject } from './project.js';

/** Values that only the shell of `run` knows. The second one has several lines, which are printed one by one. */
const SECRET = 'Zk9$vQ4"mT7/xW2+pR8 hL5';
const LINES = 'kX3-first-line-of-a-value\nqN6-second-line-of-a-value';
/** What is left of a secret in a folder's or file's name has no quotes and slashes. */
const PLAIN = 'hB7mQ2zT9wK4xP6v';
const SHELL = { DEEP_SECRET: SECRET, DEEP_LINES: LINES, DEEP_PLAIN: PLAIN };

const encode = `node -e 'const s = process.env.S; console.log(JSON.stringify({s}), JSON.stringify(JSON.stringify({s})), encodeURIComponent(s), Buffer.from(s).toString("base64"), Buffer.from("user:" + s).toString("base64"))'`;
/** So much that the rest is cut off inside the value: what the mock keeps of a tool's output, and records of commands. */
const cutAt = (length: number): string =>
  `node -e 'process.stdout.write("x".repeat(${length - 12}) + process.env.S + "y".repeat(40000))'`;

let project: TestProject;
let said = '';

beforeAll(async () => {
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
      ...['free = true', 'env = { S = "${DEEP_SECRET}", L = "${DEEP_LINES}" }', ''],
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
  for (const args of [
    ['run', 'deep', '--agents', 'mock,leaky,plain', '--json'],
    ['run', 'deep', '--agents', 'mock'],
    ['run', 'ill', '--json'],
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
afterAll(() => project.remove());

/** Any of these, anywhere, is a leak; of a value that was cut, what is longer than the shortest secret. */
const forms = [
  ...new Set([SECRET, LINES, ...LINES.split('\n'), PLAIN].flatMap(encodings)),
  SECRET.slice(0, 9),
];
const leaksIn = (text: string): string[] => forms.filter((form) => text.includes(form));

/** Every file and symlink with its name, content, and where it points. */
async function everythingBelow(folder: string): Promise<{ name: string; content: string }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries.map(async (entry) => {
      const name = join(entry.parentPath, entry.name);
      if (entry.isSymbolicLink()) return { name, content: await readlink(name) };
      return { name, content: entry.isFile() ? (await readFile(name)).toString('latin1') : '' };
    }),
  );
}

test('the secrets were everywhere they were planted', async () => {
  const [line] = (await project.resultLines()).filter(({ agent }) => agent === 'leaky');
  const { metrics, text, run } = await openRun({
    cells: [{ results_dir: join(project.results, line?.results_dir ?? '') }],
  } as never);
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
  expect(workflows).toBeGreaterThanOrEqual(6);
});
