import { exec, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { repeated, spread } from './project.js';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const scripts = join(repository, '.agents/scripts');
const env = {
  ...process.env,
  PATH: `${join(repository, 'node_modules/.bin')}${delimiter}${process.env['PATH']}`,
  NO_PROXY: '127.0.0.1',
};
const TIMES = 10;

/**
 * Measures how long each agent script takes for the first example in its README.
 * @returns {Promise<import('./project.js').Row[]>}
 */
export async function agentScripts() {
  const rows = [];
  for (const name of readdirSync(scripts)) rows.push(await rowOf(name));
  return rows;
}

/** @param {string} name @returns {Promise<import('./project.js').Row>} */
async function rowOf(name) {
  const folder = mkdtempSync(join(tmpdir(), 'llm-tool-test-bench-'));
  const readme = readFileSync(join(scripts, name, 'README.md'), 'utf8');
  const [, command = ''] = /^## Examples\n[^]*?```bash\n(.*)\n/m.exec(readme) ?? [];
  const layOut = () => {
    rmSync(join(folder, '.tasks'), { recursive: true, force: true });
    const example = join(scripts, name, 'example');
    if (existsSync(example)) cpSync(example, folder, { recursive: true });
  };
  cpSync(join(repository, '.agents/lib'), join(folder, '.agents/lib'), { recursive: true });
  cpSync(scripts, join(folder, '.agents/scripts'), { recursive: true });
  layOut();
  const service = existsSync(join(folder, 'serve.ts')) ? await serve(folder) : null;
  try {
    const call = async () => {
      layOut();
      const start = performance.now();
      // `times` prints the user and system time of the shell's children, in minutes and seconds.
      const { stdout } = await promisify(exec)(`${command} > answer; times`, { cwd: folder, env });
      const wall = (performance.now() - start) / 1000;
      const ofChildren =
        stdout
          .trim()
          .split('\n')
          .at(-1)
          ?.match(/[\d.]+(?=s)/g) ?? [];
      return { wall, cpu: ofChildren.map(Number).reduce((sum, secs) => sum + secs, 0) };
    };
    await call(); // Deno compiles the script in the first call
    const calls = await repeated(TIMES, call);
    const [wall, cpu] = [calls.map(({ wall }) => wall), calls.map(({ cpu }) => cpu)];
    return {
      what: `${name}: wall, CPU`,
      value: `${spread(wall, 's')}, ${spread(cpu, 's')}`,
      goal: '< 0.3 s',
    };
  } finally {
    service?.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} cwd */
async function serve(cwd) {
  const permissions = ['--allow-net=127.0.0.1', '--allow-write=.agents/config.json', '--allow-read=.'];
  const service = spawn('deno', ['run', ...permissions, 'serve.ts'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(service.stdout, 'data');
  return service;
}
