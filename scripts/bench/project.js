import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The time that the agent `waiting` takes by default. */
export const WAIT_SECS = 10;

/** BENCH_CLI names the command of another build to measure. */
export const cli = process.env['BENCH_CLI'] ?? fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/**
 * A line of the table: what was measured, the result, and the goal.
 * @typedef {{what: string, value: string, goal?: string}} Row
 */

/**
 * Creates a temporary project with its own engine; `remove` stops the engine and deletes the project.
 * @param {{waitSecs?: number, env?: Record<string, string>}} [options]
 */
export function createProject({ waitSecs = WAIT_SECS, env: given = {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'llm-tool-test-bench-'));
  const env = {
    ...process.env,
    LLM_TOOL_TEST_HOME: join(folder, 'state'),
    TEMPORAL_ADDRESS: '',
    NO_COLOR: '1',
    ...given,
  };
  mkdirSync(join(folder, 'fixtures/empty'), { recursive: true });
  writeFileSync(join(folder, 'fixtures/empty/README.md'), 'nothing\n');
  // Not the mock: it is a Node process, which takes longer to start than everything else in a run.
  const config = [
    ...['[agents.instant]', 'command = "true"', 'free = true'],
    ...['[agents.shell]', 'command = "sh"', 'args = ["-c", "echo done"]', 'free = true'],
    ...['[agents.waiting]', 'command = "sleep"', `args = ["${waitSecs}"]`, 'prompt = "stdin"', 'free = true'],
  ];
  writeFileSync(join(folder, 'llm-tool-test-config.toml'), config.join('\n'));
  /**
   * Writes a scenario for the mock, which uses cached results only if it says so.
   * @param {string} name @param {{steps?: string[], gates?: string[], cache?: boolean}} options
   */
  const scenario = (name, { steps = [], gates = [], cache = false }) =>
    writeFileSync(
      join(folder, `fixtures/${name}.yaml`),
      [
        `name: ${name}`,
        'description: measured',
        'template_folder: empty',
        'target: { binary: cat }',
        'task: { prompt: go }',
        `cost: { cache: ${cache} }`,
        `evaluation: { gates: [${gates.join(', ')}] }`,
        `mock: { steps: [${steps.join(', ')}] }`,
        '',
      ].join('\n'),
    );
  scenario('trivial', { gates: Array(4).fill('{ type: file_exists, path: README.md }') });
  scenario('command', { gates: ['{ type: command_succeeds, command: grep -q nothing README.md }'] });
  /** @param {string[]} args */
  const run = async (...args) =>
    (await promisify(execFile)(cli, args, { cwd: folder, env, maxBuffer: 1 << 28 })).stdout;
  return {
    folder,
    env,
    run,
    /** @returns {Promise<Record<'server' | 'worker' | 'keeper', {pid: number}> & {address: string}>} */
    status: async () => JSON.parse(await run('engine', 'status', '--json')),
    scenario,
    /** Runs trivial runs: a supervised agent that does nothing, and four file gates. @param {number} count */
    runTrivial: (count) => run('run', 'trivial', '--agents', 'instant', '--repeat', String(count), '--json'),
    remove: async () => {
      await run('engine', 'stop');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Returns the CPU seconds that a process has used, and those of all its descendants, including ended ones (Linux).
 * @param {number} pid @returns {{own: number, children: number}}
 */
export function cpuOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // Fields 14 to 17 are utime, stime, cutime and cstime in 1/100 s. The name in brackets may contain anything, so count
  // after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0, ofChildren = 0, inChildren = 0] = fields.slice(11, 15).map(Number);
  const alive = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  const children = alive === '' ? [] : alive.split(' ').map((child) => cpuOf(Number(child)));
  return {
    own: (user + system) / 100,
    children: children.reduce((sum, child) => sum + child.own + child.children, (ofChildren + inChildren) / 100),
  };
}

/** Returns the resident memory in MB (Linux). @param {number} pid */
export const memoryOf = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

/** Returns the size of the database of the project's server, with its write-ahead log. @param {string} folder */
export function databaseBytes(folder) {
  const state = join(folder, 'state');
  return readdirSync(state)
    .flatMap((engine) => readdirSync(join(state, engine)).map((name) => join(state, engine, name)))
    .filter((path) => /temporal-[^/]*\.db(-wal)?$/.test(path))
    .reduce((sum, path) => sum + statSync(path).size, 0);
}

/** Returns how many seconds `work` takes. @param {() => Promise<unknown>} work */
export async function secondsOf(work) {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/**
 * Returns "min / median / max", because machines are shared and noisy.
 * @param {number[]} values
 * @param {string} unit
 */
export function spread(values, unit) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = [0, Math.floor(sorted.length / 2), sorted.length - 1].map((index) => sorted[index] ?? NaN);
  return `${at.map((value) => value.toFixed(2)).join(' / ')} ${unit}`;
}

/**
 * Calls `work` several times, one after the other.
 * @template T
 * @param {number} times
 * @param {() => Promise<T>} work
 * @returns {Promise<T[]>}
 */
export async function repeated(times, work) {
  const results = [];
  for (let time = 0; time < times; time += 1) results.push(await work());
  return results;
}
