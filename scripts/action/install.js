// Finds llm-tool-test in the project, or installs it outside of it, for the later steps of action.yml.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fail, setOutputs, variable } from './workflow.js';

const BIN = 'node_modules/.bin/llm-tool-test';

const wanted = variable('PACKAGE');
const command = wanted === '' ? installedIn(process.cwd()) : install(wanted);
if (command === null)
  fail(
    'llm-tool-test is not installed: run `npm ci` before this action with llm-tool-test among the devDependencies, or set the input `package`',
  );
const { status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' });
if (status !== 0) fail(`${command} --version failed; llm-tool-test needs Node 20.19 or later`);
setOutputs({
  command,
  version: stdout.trim(),
  results: resolve(variable('RESULTS')),
  programs: process.env.LLM_TOOL_TEST_CACHE || join(variable('RUNNER_TEMP'), 'llm-tool-test-cache'),
});

/**
 * @param {string} folder
 * @returns {string | null}
 */
function installedIn(folder) {
  const command = join(folder, BIN);
  if (existsSync(command)) return command;
  return dirname(folder) === folder ? null : installedIn(dirname(folder));
}

/**
 * Installs into a folder outside of the project, which may have no package.json. Scripts of packages are not run,
 * because none is needed.
 * @param {string} wanted
 */
function install(wanted) {
  if (wanted.startsWith('-')) fail(`the input \`package\` is an option: ${wanted}`);
  const folder = join(variable('RUNNER_TEMP'), 'llm-tool-test');
  const what = existsSync(wanted) ? resolve(wanted) : wanted;
  const { status } = spawnSync(
    'npm',
    ['install', '--prefix', folder, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', what],
    { stdio: 'inherit' },
  );
  const command = join(folder, BIN);
  if (status !== 0 || !existsSync(command)) fail(`npm could not install llm-tool-test from ${wanted}`);
  return command;
}
