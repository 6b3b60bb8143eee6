import { join } from 'node:path';
import { NO_DENO } from '../../agent-scripts/deno-command.js';
import { SCRIPTS_FOLDER } from '../../agent-scripts/script-name.js';
import { askVersion } from '../../platform/ask-version.js';
import { findDeno } from '../../platform/find-deno.js';
import type { Finding } from '../../reports/doctor-text.js';
import { isFolder } from '../plan/look.js';
import type { DoctorContext } from './context.js';

const VERSION_MS = 3000;

/** Needed by agent scripts only: a project that has some cannot do without it. */
export async function deno({ project: { root }, env }: DoctorContext): Promise<Finding> {
  const path = await findDeno(root, env['PATH']);
  if (path === null)
    return isFolder(join(root, SCRIPTS_FOLDER))
      ? { status: 'warning', message: `not found, and there is ${SCRIPTS_FOLDER}`, remedy: NO_DENO }
      : { status: 'info', message: 'not found: only agent scripts need it' };
  const version = await askVersion([path, '--version'], { env, cwd: root, timeoutMs: VERSION_MS });
  const detail = { path, version };
  return { status: 'ok', message: `${version ?? 'of an unknown version'}: ${path}`, detail };
}
