import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/**
 * A line of the table: what was measured, what came out, and what the design asks for.
 * @typedef {{what: string, value: string, goal?: string}} Row
 */

/** A temporary project with an engine of its own; `remove` ends it. */
export function createProject() {
  const folder = mkdtempSync(join(tmpdir(), 'llm-tool-test-bench-'));
  const env = {
    ...process.env,
    LLM_TOOL_TEST_HOME: join(folder, 'state'),
    TEMPORAL_ADDRESS: '',
    NO_COLOR: '1',
  };
  mkdirSync(join(folder, 'fixtures/empty'), { recursive: true });
  writeFileSync(join(folder, 'fixtures/empty/README.md'), 'nothing\n');
  /** @param {string[]} args */
  const run = async (...args) =>
    (await promisify(execFile)(cli, args, { cwd: folder, env, maxBuffer: 1 << 28 })).stdout;
  return {
    folder,
    env,
    run,
    /** @returns {Promise<Record<'server' | 'worker' | 'keeper', {pid: number}> & {address: string}>} */
    status: async () => JSON.parse(await run('engine', 'status', '--json')),
    /**
     * A scenario of the mock; nothing is taken from the cache.
     * @param {string} name @param {{steps: string[], gates?: string[]}} options
     */
    scenario: (name, { steps, gates = [] }) =>
      writeFileSync(
        join(folder, `fixtures/${name}.yaml`),
        [
          `name: ${name}`,
          'description: measured',
          'template_folder: empty',
          'target: { binary: cat }',
          'task: { prompt: go }',
          'cost: { cache: false }',
          `evaluation: { gates: [${gates.join(', ')}] }`,
          `mock: { steps: [${steps.join(', ')}] }`,
          '',
        ].join('\n'),
      ),
    remove: async () => {
      await run('engine', 'stop');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** CPU seconds that a process and its ended children have used (Linux). @param {number} pid */
export function cpuOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // After the name in brackets, which may hold anything: utime, stime, cutime, cstime are fields 14 to 17, in 1/100 s.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

/** Resident memory in MB (Linux). @param {number} pid */
export const memoryOf = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

/** Seconds of a piece of work. @param {() => Promise<unknown>} work */
export async function secondsOf(work) {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/** "min / median / max", since machines are shared and noisy. @param {number[]} values @param {string} unit */
export function spread(values, unit) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = [0, Math.floor(sorted.length / 2), sorted.length - 1].map((index) => sorted[index] ?? NaN);
  return `${at.map((value) => value.toFixed(2)).join(' / ')} ${unit}`;
}

/** Does something several times. @template T @param {number} times @param {() => Promise<T>} work @returns {Promise<T[]>} */
export async function repeated(times, work) {
  const results = [];
  for (let time = 0; time < times; time += 1) results.push(await work());
  return results;
}
