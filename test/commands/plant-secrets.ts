import { join } from 'node:path';
import { encodings } from '../../src/lib/redaction/redact-exact.js';
import type { ModelServer } from './model-server.js';
import { KEY, LINES, PLAIN, SECRET } from './planted.js';
import { scenario, type TestProject } from './project.js';

/** The variables that `run` needs for the planted scenarios. */
export const SHELL = { DEEP_SECRET: SECRET, DEEP_LINES: LINES, DEEP_PLAIN: PLAIN, JUDGE_KEY: KEY };

const encode = `node -e 'const s = process.env.S; console.log(JSON.stringify({s}), JSON.stringify(JSON.stringify({s})), encodeURIComponent(s), Buffer.from(s).toString("base64"), Buffer.from("user:" + s).toString("base64"))'`;
/** Output that is truncated inside the value at the limit for a tool's output, or for the record of a command. */
const cutAt = (length: number): string =>
  `node -e 'process.stdout.write("x".repeat(${length - 12}) + process.env.S + "y".repeat(40000))'`;

/** Writes scenarios, agents and judges that print the secrets in every possible place. */
export async function plantSecrets(project: TestProject, server: ModelServer): Promise<void> {
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
      ...['[providers.house]', `base_url = "${server.address}/v1"`, 'api_key = "${JUDGE_KEY}"', 'free = true', ''],
    ]
      .join('\n')
      .replace('../../../../../leaky.cjs', join(project.folder, 'leaky.cjs')),
  );
  // Every type of event that an agent can print, and every kind of file that it can leave in its workspace.
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
  await plantJudged(project, server, target);
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
}

/** Judges that are shown the secrets in files, names and outputs, and that repeat all of them. */
async function plantJudged(project: TestProject, server: ModelServer, target: string): Promise<void> {
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
    await project.write(`fixtures/${name}.yaml`, text.replace('evaluation:', `evaluation:\n  judge: ${judge}`));
  }
}
