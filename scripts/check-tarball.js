// `node scripts/check-tarball.js <folder>`: packs dist/ as it is into the folder, checks the tarball, installs it with
// npm in an empty project and runs a scenario there. Prints the path of the tarball, and the size of the installation.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tarballProblems } from './release/tarball-problems.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = resolve(process.argv[2] ?? 'release');
mkdirSync(folder, { recursive: true });
const [packed] = JSON.parse(run(root, 'npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', folder));
const tarball = join(folder, packed.filename);
const problems = tarballProblems(packed, (path) => readFileSync(join(root, path), 'utf8'));
for (const problem of problems) console.error(`${packed.filename}: ${problem}`);
if (problems.length > 0) process.exit(1);

const project = mkdtempSync(join(tmpdir(), 'llm-tool-test-install-'));
process.env.LLM_TOOL_TEST_HOME = join(project, 'state');
const tool = (/** @type {string[]} */ ...words) => run(project, 'npx', '--no', '--', 'llm-tool-test', ...words);
try {
  run(project, 'npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', tarball);
  const version = tool('--version').trim();
  if (version !== packed.version) throw new Error(`--version prints ${version}, not ${packed.version}`);
  tool('init');
  const { totals } = JSON.parse(tool('run', 'stock_delivery', '--json'));
  if (totals.passed !== 1) throw new Error('the scenario of init did not pass');
  const [size] = run(project, 'du', '-sm', 'node_modules').split('\t');
  console.log(`${tarball}\n${packed.files.length} files; installed: ${size} MB with all dependencies`);
} finally {
  try {
    tool('engine', 'stop');
  } catch {
    // It was never started.
  }
  rmSync(project, { recursive: true, force: true });
}

/**
 * @param {string} cwd
 * @param {string} command
 * @param {string[]} args
 */
function run(cwd, command, ...args) {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}
