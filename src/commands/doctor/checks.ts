import { agentChecks, judgeKeys } from './agents.js';
import type { DoctorCheck, DoctorContext } from './context.js';
import { build, containing, enabled, environmentChecks, node, platform } from './machine.js';
import { cache, config, fixtures, results, state } from './places.js';
import { sharedResults } from './shared.js';
import { engine, go, temporal } from './temporal.js';
import { join } from 'node:path';
import { NO_DENO, SCRIPTS_FOLDER } from '#agent-scripts';
import { detectVersion, findDeno, isMirror, leftoversFile, ownCommand, readLeftovers } from '#host';
import { isFolder } from '#planning';
import type { Finding } from '#reports';

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
  { name: 'judge keys', look: judgeKeys },
];

/** Checks for Deno. It is only a warning if it is missing in a project that has agent scripts. */
async function deno({ project: { root }, env, limits }: DoctorContext): Promise<Finding> {
  const path = await findDeno(root, env['PATH']);
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
