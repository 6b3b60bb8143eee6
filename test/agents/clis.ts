import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { installer, installOnce } from './install-once.js';

/**
 * An npm package of a real agent or server. Pinned: without a version npm picks an older one that suits its own Node.
 */
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

/**
 * Servers of the MCP project, the first of which has all that the protocol has, and one that offers others over HTTP.
 */
const SERVERS = {
  everything: mcpServer('everything'),
  filesystem: mcpServer('filesystem'),
  memory: mcpServer('memory'),
  supergateway: { package: 'supergateway', version: '4.0.0', bin: 'supergateway' },
};
function mcpServer(name: string): Cli {
  return { package: `@modelcontextprotocol/server-${name}`, version: '2026.8.31', bin: `mcp-server-${name}` };
}

/**
 * The path of a real agent's program in the cache folder, in the tested or another version. Installs it if needed;
 * concurrent callers wait for that.
 */
export const provideCli = (
  name: CliName,
  report: (text: string) => void,
  version: string = CLIS[name].version,
): Promise<string> => provide(name, { ...CLIS[name], version }, report);

/** The same for GitHub Copilot, which is tested only through ACP. */
export const provideCopilot = (report: (text: string) => void): Promise<string> =>
  provide('copilot', { package: '@github/copilot', version: '1.0.102', bin: 'copilot' }, report);

/** The same for a server of the MCP project. */
export const provideMcpServer = (
  report: (text: string) => void,
  name: keyof typeof SERVERS = 'everything',
): Promise<string> => provide(`mcp-server-${name}`, SERVERS[name], report);

/** The `node_modules` with version 2 of the TypeScript SDK for MCP. */
export async function provideMcpSdk(): Promise<string> {
  const version = '2.4.0';
  const packages = ['client', 'server'].map((name) => `@modelcontextprotocol/${name}@${version}`);
  return join(await installOnce(`mcp-sdk-${version}`, (into) => installNpm(packages, into)), 'node_modules');
}

/** The `node_modules` with the SDK of an agent. */
export async function provideSdk(agent: 'claude' | 'codex'): Promise<string> {
  const packages = {
    claude: ['@anthropic-ai/claude-agent-sdk@0.3.330', '@anthropic-ai/sdk', '@modelcontextprotocol/sdk@1', 'zod@4'],
    codex: ['@openai/codex-sdk@0.163.0'],
  }[agent];
  const name = packages[0]?.replace(/^@[^/]*\//, '').replace('@', '-') ?? '';
  return join(await installOnce(name, (into) => installNpm(packages, into)), 'node_modules');
}

/** The beginning of commands for Python that find these packages. They name their versions. */
export async function providePython(...packages: string[]): Promise<string[]> {
  const args = ['-m', 'pip', 'install', '--quiet', '--no-warn-script-location', '--target'];
  const name = ['python', ...packages].join('-').replaceAll('==', '-');
  const folder = await installOnce(name, (into) => installer('python3', [...args, into, ...packages]));
  return ['env', `PYTHONPATH=${folder}`, 'python3'];
}

/**
 * The beginning of commands for Python that find Harbor's models of jobs and trajectories. These need little else of
 * it, and no newer Python.
 */
export async function provideHarbor(): Promise<string[]> {
  const folder = await installOnce('harbor-0.25.0-models', async (into) => {
    const args = ['-m', 'pip', 'install', '--quiet', '--target', into];
    await installer('python3', [...args, 'pydantic==2.14.4', 'shortuuid==1.0.13', 'toml==0.10.2', 'pathspec==1.1.1']);
    await installer('python3', [...args, '--no-deps', '--ignore-requires-python', 'harbor==0.25.0']);
  });
  return ['env', `PYTHONPATH=${folder}`, 'python3'];
}

/** The program of the protocol's conformance suite. It needs a newer Node than this project. */
export const provideConformance = (report: (text: string) => void): Promise<string> => {
  const version = '0.2.0-alpha.12';
  return provide(
    'mcp-conformance',
    { package: '@modelcontextprotocol/conformance', version, bin: 'conformance' },
    report,
  );
};

async function provide(name: string, cli: Cli, report: (text: string) => void): Promise<string> {
  const folder = await installOnce(`${name}-${cli.version}`, (into) => {
    report(`installing ${cli.package}@${cli.version}, once ...`);
    return installNpm([`${cli.package}@${cli.version}`], into);
  });
  return join(folder, 'node_modules', '.bin', cli.bin);
}

export async function installNpm(packages: readonly string[], folder: string): Promise<void> {
  const home = join(folder, '.installer');
  // Installers that look for settings leave folders behind. npm itself keeps the user's settings.
  const xdg = ['CONFIG', 'DATA', 'STATE', 'CACHE'].map((kind) => [`XDG_${kind}_HOME`, join(home, kind)]);
  const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', ...packages];
  await mkdir(home);
  await installer('npm', args, { env: Object.fromEntries(xdg) as NodeJS.ProcessEnv });
  await rm(home, { recursive: true, force: true });
}
