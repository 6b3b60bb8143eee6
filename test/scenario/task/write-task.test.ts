import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadScenario } from '../../../src/scenario/load-scenario.js';
import { checkScript } from '../../../src/scenario/task/check-script.js';
import { readTask } from '../../../src/scenario/task/read-task.js';
import { writeTask } from '../../../src/scenario/task/write-task.js';

const FITTING = `
name: greet
description: Says "hello"
tags: [small]
target: {binary: cat}
environment: {type: docker, image: "debian:12", cpus: 1, network: none}
template_folder: greeting
task: {prompt: "Write hello into $HOME.txt"}
run: {timeout_secs: 40}
setup: {commands: ["echo '$x' >given"]}
mock:
  steps:
    - {write: {path: a/out.txt, content: "it's $x\\n"}}
    - {run: "echo done"}
evaluation:
  gates:
    - {type: file_exists, path: a/out.txt}
    - {type: file_contains, path: a/out.txt, substring: "it's $x"}
`;

function written(text: string, dockerfile: string | null = null) {
  const loaded = loadScenario('greet.yaml', text);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return writeTask(loaded.value.scenario, loaded.problemAt, dockerfile);
}

function filesOf(text: string, dockerfile: string | null = null): Record<string, string> {
  const task = written(text, dockerfile);
  if (!task.ok) throw new Error(JSON.stringify(task.problems));
  return Object.fromEntries(task.task.files.map(({ path, text: content }) => [path, content]));
}

it('writes a folder that is read as the same task', () => {
  const files = filesOf(FITTING);
  const read = readTask('greet/task.toml', files['task.toml'] ?? '', (path) =>
    files[path] === undefined
      ? Object.keys(files).some((one) => one.startsWith(`${path}/`))
        ? { kind: 'folder', names: [] }
        : null
      : { kind: 'file', text: files[path] },
  );
  expect(read).toMatchObject({
    ok: true,
    value: {
      warnings: [],
      scenario: {
        name: 'llm-tool-test/greet',
        description: 'Says "hello"',
        tags: ['small'],
        environment: { type: 'docker', build: 'environment', cpus: 1, network: 'none' },
        steps: [{ kind: 'agent', prompt: 'Write hello into $HOME.txt', timeout_secs: 40 }],
      },
    },
  });
  expect(files['environment/Dockerfile']).toBe(
    `FROM debian:12 AS task-image
FROM task-image AS task-workspace
USER root
COPY root/ /task-root/
RUN chmod -R a+rwX /task-root/workspace
FROM task-image
COPY --from=task-workspace /task-root/ /
WORKDIR /workspace
RUN ["sh","-c","echo '$x' >given"]
`,
  );
  expect(files['solution/solve.sh']).toContain("printf %s 'it'\\''s $x\n' >./a/out.txt");
});

it('builds upon the Dockerfile of the scenario', () => {
  const text = FITTING.replace('image: "debian:12"', 'build: image');
  expect(filesOf(text, 'FROM a AS one\nFROM one as two\nUSER nobody')['environment/Dockerfile']).toContain(
    'FROM a AS one\nFROM one as two\nUSER nobody\nFROM two AS task-workspace\n',
  );
});

it('names each part that does not fit, with its line', () => {
  const text = `${FITTING.replace('{type: docker, image: "debian:12", cpus: 1, network: none}', '{type: local}')}
    - {type: file_matches, path: a/out.txt, pattern: "^h"}
scripts: {evaluators: [{name: size, command: "echo '{}'"}]}
`.replace('{binary: cat}', '{binary: ./tool}');
  const task = written(text);
  expect(task.ok ? [] : task.problems.map(({ line, message }) => [line, message.split(';')[0]])).toEqual(
    expect.arrayContaining([
      [6, 'a task runs in a container'],
      [expect.any(Number), 'the target is a file of this machine'],
      [expect.any(Number), 'a task has no evaluators'],
      [20, expect.stringContaining('file_matches cannot be written as a line of sh')],
    ]),
  );
});

it.each([
  [{ type: 'file_exists', path: 'a b' }, true],
  [{ type: 'file_exists', path: 'c' }, false],
  [{ type: 'file_contains', path: 'a b', substring: "it's\n$x" }, true],
  [{ type: 'file_contains', path: 'a b', substring: '*' }, false],
  [{ type: 'command_succeeds', command: 'test -e "a b"', timeout_secs: 5 }, true],
  [{ type: 'command_exit_code_is', command: 'exit 3', expected_code: 3, timeout_secs: 5 }, true],
  [{ type: 'command_exit_code_is', command: 'exit 4', expected_code: 3, timeout_secs: 5 }, false],
  [{ type: 'command_output_contains', command: 'printf "x\\ny"', substring: 'x\ny', timeout_secs: 5 }, true],
  [{ type: 'command_output_contains', command: 'echo x; exit 1', substring: 'x', timeout_secs: 5 }, false],
])('checks %j in sh: %s', (gate, passes) => {
  const folder = mkdtempSync(join(tmpdir(), 'llm-tool-test-checks-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  writeFileSync(join(folder, 'a b'), "it's\n$x\n");
  const script = checkScript(gate as unknown as Parameters<typeof checkScript>[0]) ?? '';
  const run = (): string => execFileSync('sh', ['-c', script], { cwd: folder, stdio: 'pipe' }).toString();
  if (passes) expect(run).not.toThrow();
  else expect(run).toThrow();
});
