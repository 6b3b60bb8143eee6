import { join } from 'node:path';
import { NO_DENO } from '../../agent-scripts/deno-command.js';
import { SCRIPTS_FOLDER } from '../../agent-scripts/script-name.js';
import { detectVersion } from '../../platform/process/detect-version.js';
import { findDeno } from '../../platform/process/find-deno.js';
import type { Finding } from '../../reports/doctor-text.js';
import { isFolder } from '../../planning/file-checks.js';
import type { DoctorContext } from './context.js';

/** Checks for Deno. It is only a warning if it is missing in a project that has agent scripts. */
export async function deno({ project: { root }, env, limits }: DoctorContext): Promise<Finding> {
  const path = await findDeno(root, env['PATH']);
  if (path === null)
    return isFolder(join(root, SCRIPTS_FOLDER))
      ? { status: 'warning', message: `not found, but the project has ${SCRIPTS_FOLDER}`, remedy: NO_DENO }
      : { status: 'info', message: 'not found; only needed for agent scripts' };
  const version = await detectVersion([path, '--version'], { env, cwd: root, timeoutMs: limits.doctorMs });
  const detail = { path, version };
  return { status: 'ok', message: `${version ?? 'unknown version'}: ${path}`, detail };
}
