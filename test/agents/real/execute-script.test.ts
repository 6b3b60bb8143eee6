import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { printing, scriptFiles, writeFiles } from '../../agent-scripts/project-script.js';
import { createProject, REPOSITORY, type TestProject } from '../../commands/project.js';
import { provideCli, type CliName } from '../clis.js';
import type { ModelServer } from '../model-server/server.js';
import { RECIPES } from '../recipes.js';
import { serve } from '../serve.js';

const ECHO = 'console.log(JSON.stringify({ success: true, data: { args: Deno.args } }));\n';
const NO_FILE = { success: false, error: 'no such file', code: 'FILE_NOT_FOUND' };

/** A project with this package installed, two scripts, and the command for all agents. */
async function projectWithCommand(): Promise<TestProject> {
  const project = await createProject({
    ...scriptFiles('echo', ECHO),
    ...scriptFiles('missing', `${printing(NO_FILE)}Deno.exit(1);\n`),
  });
  onTestFinished(() => project.remove());
  const bin = join(project.folder, 'node_modules/.bin/llm-tool-test');
  await mkdir(dirname(bin), { recursive: true });
  await symlink(join(REPOSITORY, 'dist/cli.js'), bin);
  expect((await project.cli(['scripts', 'install-command'])).exitCode).toBe(0);
  return project;
}

/** Starts an agent in the project as its user would: with the project's settings and without extra permissions. */
async function ask(
  name: CliName,
  { folder }: TestProject,
  { url }: ModelServer,
  args: (recipe: string[]) => string[],
): Promise<void> {
  const program = await provideCli(name, console.log);
  const home = join(folder, 'home');
  const recipe = RECIPES[name]({ url, home, prompt: '' });
  await writeFiles('', Object.fromEntries(recipe.files.map(({ path, content }) => [path, content])));
  await execa(program, args(recipe.args), {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: home, TMPDIR: home, TERM: 'dumb', ...recipe.env },
    extendEnv: false,
    stdin: 'ignore',
    stdout: 'ignore', // nothing is lost: the tests look at the requests to the model
    stderr: 'ignore',
    reject: false,
  });
}

const oneMessage = { steps: [{ say: 'It is done.' }] };
const promptsOf = ({ requests }: ModelServer): string[] => requests.map(({ prompts }) => prompts.join('\n'));

test.each([
  ['echo "two words" x', '{"success":true,"data":{"args":["two words","x"]}}'],
  ['missing', JSON.stringify(NO_FILE)],
  ['nowhere', "no agent script 'nowhere' in"],
])('/execute-script %s gives Claude Code the answer before its first request to the model', async (line, answer) => {
  const project = await projectWithCommand();
  const server = await serve(oneMessage);
  await ask('claude-code', project, server, () => [
    ...['-p', `/execute-script ${line}`, '--output-format', 'json', '--model', 'claude-sonnet-4-5'],
    '--strict-mcp-config',
  ]);
  expect(promptsOf(server)).toEqual([expect.stringContaining(answer)]);
});

test('Claude Code refuses a second command after the script, and the model is not asked', async () => {
  const project = await projectWithCommand();
  const server = await serve(oneMessage);
  await ask('claude-code', project, server, () => [
    ...['-p', '/execute-script echo x; touch evil', '--model', 'claude-sonnet-4-5', '--strict-mcp-config'],
  ]);
  expect(server.requests).toEqual([]);
  await expect(project.read('evil')).rejects.toThrow('ENOENT');
});

test.each([
  [['echo', 'two words', 'x'], '{"success":true,"data":{"args":["two words","x"]}}'],
  [['missing'], JSON.stringify(NO_FILE)],
  [['nowhere'], "no agent script 'nowhere' in"],
])('OpenCode gives its model the answer of the script %j in the first request', async (words, answer) => {
  const project = await projectWithCommand();
  const server = await serve(oneMessage);
  await ask('opencode', project, server, (args) => [
    ...args.filter((arg) => arg !== '' && arg !== '--auto'),
    ...['--command', 'execute-script', ...words],
  ]);
  expect(promptsOf(server)).toEqual([expect.stringContaining(answer)]);
});

test('Codex, which runs nothing before it asks the model, tells the model what to run', async () => {
  const project = await projectWithCommand();
  const server = await serve({
    steps: [{ run: 'npx --no llm-tool-test scripts run --json echo x' }, { say: 'It is done.' }],
  });
  await ask('codex', project, server, (args) => [...args.slice(0, -1), '$execute-script echo x']);
  expect(promptsOf(server)[0]).toContain('Run `npx --no llm-tool-test scripts run --json <script> [args]`');
  expect(server.requests).toMatchObject([{ toolResults: 0 }, { toolResults: 1, unpaired: [] }]);
});
