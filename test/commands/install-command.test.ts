import { realpath } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createProject, type TestProject } from './project.js';

const CLAUDE = '.claude/commands/execute-script.md';
const OPENCODE = '.opencode/commands/execute-script.md';
const CODEX = '.agents/skills/execute-script/SKILL.md';

let project: TestProject;
beforeEach(async () => {
  project = await createProject({ '.agents/scripts/README.md': '', 'src/file.txt': '' });
});
afterEach(() => project.remove());

const install = (...args: string[]) => project.cli(['scripts', 'install-command', ...args]);

test('install-command creates the command for all three agents, in the root of the project', async () => {
  const { exitCode, stdout } = await project.start(['scripts', 'install-command', '--json'], {}, 'src');
  expect(JSON.parse(stdout)).toEqual({
    folder: await realpath(project.folder),
    files: [
      { agent: 'claude-code', path: CLAUDE, call: '/execute-script', made: true },
      { agent: 'opencode', path: OPENCODE, call: '/execute-script', made: true },
      { agent: 'codex', path: CODEX, call: '$execute-script', made: true },
    ],
  });
  expect(exitCode).toBe(0);
  for (const path of [CLAUDE, OPENCODE]) {
    expect(await project.read(path)).toMatch(/^---\ndescription: .*\n/);
    expect(await project.read(path)).toContain('!`npx --no llm-tool-test scripts run --json $ARGUMENTS');
  }
  expect(await project.read(CLAUDE)).toContain(
    'allowed-tools: Bash(npx --no llm-tool-test scripts run:*), Bash(true)\n',
  );
  expect(await project.read(CODEX)).toMatch(/^---\nname: execute-script\n/);
});

test('install-command creates it only for the given agents, with the given command', async () => {
  const { exitCode, stdout } = await install('opencode', '--command', './tools/llm-tool-test');
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(/execute-script\.md +created: \/execute-script <script> \[args\]$/) as string,
  });
  expect(await project.read(OPENCODE)).toContain('!`./tools/llm-tool-test scripts run --json $ARGUMENTS`');
  for (const path of [CLAUDE, CODEX]) await expect(project.read(path)).rejects.toThrow('ENOENT');
});

test('install-command can be repeated: identical files stay, missing ones are created', async () => {
  await install('codex');
  const again = JSON.parse((await install('--json')).stdout) as { files: { made: boolean }[] };
  expect(again.files.map(({ made }) => made)).toEqual([true, true, false]);
  expect((await install()).stdout.match(/already there/g)).toHaveLength(3);
});

test('an existing file with other content is not overwritten, and nothing is written', async () => {
  await project.write(OPENCODE, 'mine\n');
  const { exitCode, stdout, stderr } = await install('--json');
  expect(exitCode).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({
    error: { code: 'files_in_the_way', problems: [{ file: OPENCODE }] },
  });
  expect(stderr).toContain('nothing was written');
  expect(await project.read(OPENCODE)).toBe('mine\n');
  await expect(project.read(CLAUDE)).rejects.toThrow('ENOENT');
});

test('an agent without such a command is refused with the list of those that have one', async () => {
  const { exitCode, stderr } = await install('gemini');
  expect(exitCode).toBe(2);
  expect(stderr).toContain("no command file for agent 'gemini'; known agents: claude-code, opencode, codex");
});

test.each(['a; b', 'a `b`', 'a)', 'a\nb', 'a, b', '$(a)', 'a  b'])(
  'the command %j is refused since it is not exactly one plain command',
  async (command) => {
    const { exitCode, stdout } = await install('--json', '--command', command);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'bad_command' } });
  },
);

test('an empty command is refused', async () => {
  const { exitCode, stdout } = await install('--json', '--command', '');
  expect(exitCode).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'usage' } });
});
