import { join } from 'node:path';
import { NO_DENO, SCRIPTS_FOLDER } from '#agent-scripts';
import { detectVersion, findDeno, isMirror, leftoversFile, ownCommand, readLeftovers } from '#host';
import { UsageError } from '#lib';
import { isFolder } from '#planning';
import { type DoctorRow, type CheckStatus, countByStatus, type Finding, renderDoctor } from '#reports';
import { printJson, textOptions } from '../shared/output.js';
import { agentChecks, judgeKeys, mountable } from './agents.js';
import { type DoctorCheck, doctorContext, type DoctorContext } from './context.js';
import { build, environmentChecks, containing, enabled, node, platform } from './machine.js';
import { cache, config, fixtures, results, sharedResults, state } from './places.js';
import { engine, go, temporal } from './temporal.js';

export interface DoctorOptions {
  json: boolean;
  results?: string;
  address?: string;
  /** Name of an agent to try. No other check is made then. */
  try?: string;
  model?: string;
}

/**
 * The time by which a check that hangs, for example on a network file system, may exceed that of a program or a server,
 * ms.
 */
const MORE_MS = 5000;

/** `doctor`: checks that this machine can run scenarios. Returns the exit code, 3 if there is a problem. */
export async function doctor(options: DoctorOptions): Promise<number> {
  const checks = await findings(options);
  const worst = (['problem', 'warning'] as const).find((status) => countByStatus(checks, status) > 0) ?? 'ok';
  if (options.json) printJson(document(worst, checks));
  else process.stdout.write(renderDoctor(checks, textOptions()));
  return worst === 'problem' ? 3 : 0;
}

async function findings({ try: agent, ...options }: DoctorOptions): Promise<DoctorRow[]> {
  if (agent !== undefined) return [await (await import('./try.js')).tryAgentCheck({ ...options, try: agent })];
  if (options.model !== undefined) throw new UsageError('usage', '--model needs --try <agent>');
  const context = doctorContext(options);
  return Promise.all(checksOf(context).map((check) => perform(check, context)));
}

/** Performs a check. An error in the check itself becomes a warning and does not affect the others. */
async function perform({ name, look }: DoctorCheck, context: DoctorContext): Promise<DoctorRow> {
  const limitMs = context.limits.doctorMs + MORE_MS;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limitMs / 1000} s`)), limitMs);
  });
  try {
    return { name, ...(await Promise.race([(async () => look(context))(), late])) };
  } catch (error) {
    return { name, status: 'warning', message: `check failed: ${(error as Error).message}` };
  } finally {
    clearTimeout(timer);
  }
}

const document = (status: CheckStatus, checks: readonly DoctorRow[]) => ({
  status,
  checks: checks.map(({ name, status: found, message, remedy = null, detail = null }) => ({
    name,
    status: found,
    message,
    remedy,
    detail,
  })),
});

/** All checks, in the order of the table. To add one, write a small function and add a line here. */
export const checksOf = (context: DoctorContext): DoctorCheck[] => [
  { name: 'node', look: () => node() },
  { name: 'platform', look: () => platform() },
  { name: 'version', look: build },
  { name: 'config', look: config },
  { name: 'scenarios', look: fixtures },
  { name: 'results', look: results },
  ...(isMirror(context.project.resultsPath) ? [{ name: 'shared results', look: sharedResults }] : []),
  { name: 'state', look: state },
  { name: 'cache', look: cache },
  { name: 'temporal', look: temporal },
  { name: 'go', look: go },
  { name: 'engine', look: engine },
  { name: 'leftovers', look: leftovers },
  { name: 'deno', look: deno },
  { name: 'containment', look: containing },
  ...environmentChecks,
  { name: 'LLM_TOOL_TEST_ENABLED', look: enabled },
  ...agentChecks(context),
  { name: 'agents in containers', look: mountable },
  { name: 'judge keys', look: judgeKeys },
];

/** Checks for Deno. It is only a warning if it is missing in a project that has agent scripts. */
async function deno({ project: { root }, env, limits }: DoctorContext): Promise<Finding> {
  const path = findDeno(root, env['PATH']);
  if (path === null)
    return isFolder(join(root, SCRIPTS_FOLDER))
      ? { status: 'warning', message: `not found, but the project has ${SCRIPTS_FOLDER}`, remedy: NO_DENO }
      : { status: 'info', message: 'not found; only needed for agent scripts' };
  const version = await detectVersion([path, '--version'], { env, cwd: root, timeoutMs: limits.doctorMs });
  const detail = { path, version };
  return { status: 'ok', message: `${version ?? 'unknown version'}: ${path}`, detail };
}

/** Lists containers and databases of runs that have ended, which could not be removed. */
async function leftovers({ engine: folder }: DoctorContext): Promise<Finding> {
  const notes = await readLeftovers(folder);
  const left = notes.flatMap(({ run, left }) =>
    left.map((each) => ({ ...each, run, note: leftoversFile(folder, run) })),
  );
  const [first] = left;
  if (first === undefined) return { status: 'ok', message: 'nothing is left of runs that have ended' };
  return {
    status: 'warning',
    message: left.map(({ name, run, reason }) => `${name} of ${run}: ${reason}`).join('; '),
    remedy:
      `${ownCommand('engine start')} tries to remove ${left.length === 1 ? 'it' : 'them'} again; ` +
      `or do it yourself (${left.map(({ remedy }) => remedy).join('; ')}), and then delete ${[...new Set(left.map(({ note }) => note))].join(' ')}`,
    detail: { left },
  };
}
