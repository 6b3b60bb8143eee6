import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { cacheHome } from '../../src/platform/folders.js';
import { isExecutable } from '../../src/platform/process/find-executable.js';
import { tryLock } from '../../src/platform/process/process-lock.js';
import { waitUntil } from '../../src/platform/process/wait-until.js';

/** An npm package of a real agent or server. Pinned: without a version npm picks an older one that suits its own Node. */
interface Cli {
  package: string;
  version: string;
  bin: string;
}

/** By the names of our adapters. Each runs on the oldest Node that is supported here, or brings its own. */
const CLIS = {
  'claude-code': { package: '@anthropic-ai/claude-code', version: '2.1.330', bin: 'claude' },
  codex: { package: '@openai/codex', version: '0.169.0', bin: 'codex' },
  opencode: { package: 'opencode-ai', version: '1.18.33', bin: 'opencode' },
  gemini: { package: '@google/gemini-cli', version: '0.61.0', bin: 'gemini' },
  pi: { package: '@mariozechner/pi-coding-agent', version: '0.73.1', bin: 'pi' },
} satisfies Record<string, Cli>;
export type CliName = keyof typeof CLIS;
export const CLI_NAMES = Object.keys(CLIS) as CliName[];

/** Each has several hundred megabytes, and npm may be slow. */
const INSTALL_MS = 10 * 60_000;

/** Servers of the MCP project; the first one has all that the protocol has. */
const SERVERS = {
  everything: mcpServer('everything'),
  filesystem: mcpServer('filesystem'),
  memory: mcpServer('memory'),
};
function mcpServer(name: string): Cli {
  return { package: `@modelcontextprotocol/server-${name}`, version: '2026.8.31', bin: `mcp-server-${name}` };
}

/** The path of a real agent's program in the cache folder. Installs it if needed; concurrent callers wait for that. */
export const provideCli = (name: CliName, report: (text: string) => void): Promise<string> =>
  provide(name, CLIS[name], report);

/** The same for a server of the MCP project. */
export const provideMcpServer = (
  report: (text: string) => void,
  name: keyof typeof SERVERS = 'everything',
): Promise<string> => provide(`mcp-server-${name}`, SERVERS[name], report);

async function provide(name: string, cli: Cli, report: (text: string) => void): Promise<string> {
  const cache = join(cacheHome(), 'agents');
  const target = join(cache, `${name}-${cli.version}`);
  const program = join(target, 'node_modules', '.bin', cli.bin);
  if (await isExecutable(program)) return program;
  const lock = await waitUntil(() => tryLock(cache, name), INSTALL_MS, 500);
  if (lock === null) throw new Error(`waited in vain for another process that installs ${name}`);
  try {
    if (!(await isExecutable(program))) {
      report(`installing ${cli.package}@${cli.version}, once ...`);
      await install(cli, target);
    }
  } finally {
    await lock.release();
  }
  return program;
}

/** Installs under a temporary name first, so that the final folder is always complete. */
async function install(cli: Cli, target: string): Promise<void> {
  const folder = await mkdtemp(`${target}.`);
  try {
    const home = join(folder, '.installer');
    // Installers that look for settings leave folders behind. npm itself keeps the user's settings.
    const xdg = ['CONFIG', 'DATA', 'STATE', 'CACHE'].map((kind) => [`XDG_${kind}_HOME`, join(home, kind)]);
    const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', `${cli.package}@${cli.version}`];
    await mkdir(home);
    await execa('npm', args, { env: Object.fromEntries(xdg) as NodeJS.ProcessEnv, timeout: INSTALL_MS });
    await rm(home, { recursive: true, force: true });
    await rename(folder, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
