import { dirname } from 'node:path';
import { environments } from '#environments';
import { buildId, containment, packageVersion } from '#host';
import type { Finding } from '#reports';
import type { DoctorCheck, DoctorContext } from './context.js';

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
  if (name === 'darwin') return { status: 'ok', message: `${message}: has no PID namespaces (reports mention this)` };
  if (name !== 'linux') return { status: 'problem', message, remedy: 'use Linux or macOS; on Windows use WSL' };
  if (glibc !== null) return { status: 'ok', message: `${message}, glibc ${glibc}` };
  return {
    status: 'problem',
    message: `${message} without glibc (musl, as in Alpine)`,
    remedy: 'the Temporal SDK has no build for musl; use a distribution with glibc, such as Debian or Ubuntu',
  };
}

function glibcVersion(): string | null {
  // Otherwise the report looks up host names of network addresses, which can take seconds.
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
  if (how !== 'group') return { status: 'ok', message: `${how}: each agent runs in its own PID namespace`, detail };
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

/** The needs of each environment. They are only required by scenarios that use it. */
export const environmentChecks: readonly DoctorCheck[] = Object.values(environments).flatMap(({ doctor = {} }) =>
  Object.entries(doctor).map(([name, lookAt]) => ({
    name,
    look: async ({ env, project }) => {
      const folders = [project.configFile === null ? null : project.root, dirname(project.resultsPath)];
      const { usable, message } = await lookAt(folders, env);
      const works = Array.isArray(usable) ? usable.length > 0 : usable;
      return { status: works ? 'ok' : 'info', message, detail: { usable } };
    },
  })),
);

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
