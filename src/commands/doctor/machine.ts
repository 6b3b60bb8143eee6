import { dirname } from 'node:path';
import {
  E2B_KEY,
  findE2b,
  optionsInShell,
  tryE2b,
  whyNoBubblewrap,
  whyNoCli,
  whyNoOwnNetwork,
} from '#environments';
import { buildId, containment, packageVersion } from '#host';
import type { Finding } from '#reports';
import type { DoctorContext } from './context.js';

const OLDEST_NODE = [20, 19] as const;

/** Node 20.19 is the oldest version that works. */
export function node(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const old = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  return old
    ? { status: 'problem', message: version, remedy: `install Node ${OLDEST_NODE.join('.')} or later` }
    : { status: 'ok', message: version };
}

/** The Temporal SDK has builds for Linux with glibc, and for macOS. */
export function platform(name: string = process.platform, glibc = glibcVersion()): Finding {
  const message = `${name} ${process.arch}`;
  if (name === 'darwin')
    return { status: 'ok', message: `${message}: has no PID namespaces (reports mention this)` };
  if (name !== 'linux')
    return { status: 'problem', message, remedy: 'use Linux or macOS; on Windows use WSL' };
  if (glibc !== null) return { status: 'ok', message: `${message}, glibc ${glibc}` };
  return {
    status: 'problem',
    message: `${message} without glibc (musl, as in Alpine)`,
    remedy: 'the Temporal SDK has no build for musl; use a distribution with glibc, such as Debian or Ubuntu',
  };
}

function glibcVersion(): string | null {
  // otherwise the report looks up host names of network addresses, which can take seconds
  Object.assign(process.report, { excludeNetwork: true });
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return header?.glibcVersionRuntime ?? null;
}

export function build(): Finding {
  const id = buildId();
  return id === 'source'
    ? { status: 'warning', message: `${packageVersion}, not built`, remedy: 'npm run build' }
    : {
        status: 'ok',
        message: `${packageVersion}, build ${id}`,
        detail: { version: packageVersion, build: id },
      };
}

/** Reports how processes that an agent leaves behind are killed. */
export async function containing(): Promise<Finding> {
  const how = await containment();
  const detail = { containment: how };
  if (how !== 'group')
    return { status: 'ok', message: `${how}: each agent runs in its own PID namespace`, detail };
  const message =
    'group: agents are tracked by session and an environment variable, which a determined agent can evade';
  return process.platform === 'linux'
    ? {
        status: 'warning',
        message,
        remedy: 'allow user namespaces (unshare --user --pid), or run as root',
        detail,
      }
    : { status: 'info', message, detail };
}

/** Only required by scenarios with `bubblewrap`. Those with `auto` run without it. */
export async function bubblewrap(): Promise<Finding> {
  const lacking = await whyNoBubblewrap();
  const detail = { usable: lacking === null };
  return lacking === null
    ? { status: 'ok', message: 'agents can be sandboxed (environment.type: bubblewrap or auto)', detail }
    : { status: 'info', message: `agents are not sandboxed: ${lacking}`, detail };
}

/** Without pasta, sandboxed agents share the network of this machine. */
export async function pasta(): Promise<Finding> {
  const lacking = await whyNoOwnNetwork();
  const detail = { usable: lacking === null };
  return lacking === null
    ? { status: 'ok', message: "sandboxed agents do not reach this machine's loopback", detail }
    : { status: 'info', message: `sandboxed agents share this machine's network: ${lacking}`, detail };
}

/** Only required by scenarios with `environment.type: docker`. */
export async function containers(): Promise<Finding> {
  const found = await Promise.all(
    (['docker', 'podman'] as const).map(async (command) => [command, await whyNoCli(command)] as const),
  );
  const usable = found.flatMap(([command, why]) => (why === null ? [command] : []));
  const detail = { usable };
  return usable.length > 0
    ? {
        status: 'ok',
        message: `containers are available with ${usable.join(' and ')} (environment.type: docker)`,
        detail,
      }
    : {
        status: 'info',
        message: `no containers: ${found.map(([command, why]) => `${command}: ${why ?? ''}`.replace(`${command}: ${command} `, `${command} `)).join('; ')}`,
        detail,
      };
}

/** Only required by scenarios with `environment.type: e2b`. */
export async function cloudSandboxes({ env, project }: DoctorContext): Promise<Finding> {
  const { module, why } = findE2b([
    project.configFile === null ? null : project.root,
    dirname(project.resultsPath),
  ]);
  const options = optionsInShell(env);
  const lacking =
    module === null
      ? why
      : options.apiKey === ''
        ? `${E2B_KEY} is not set`
        : ((await tryE2b(module, options))?.why ?? null);
  const detail = { usable: lacking === null };
  return lacking === null
    ? { status: 'ok', message: 'sandboxes of E2B are available (environment.type: e2b)', detail }
    : { status: 'info', message: `no sandboxes of E2B: ${lacking}`, detail };
}

export function enabled({ env }: DoctorContext): Finding {
  const value = env['LLM_TOOL_TEST_ENABLED'] ?? '';
  if (value === '1') return { status: 'info', message: '1: agents that may cost money are allowed' };
  if (value === '') return { status: 'info', message: 'not set: agents that may cost money are refused' };
  return {
    status: 'warning',
    message: 'set, but not to 1: agents that may cost money are refused',
    remedy: 'set LLM_TOOL_TEST_ENABLED=1 to allow them',
  };
}
