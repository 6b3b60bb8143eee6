import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Private folders below the root of a run, beside its workspace: they come with that and go with it. */
export const RUN_FOLDERS = {
  home: 'home',
  config: 'config',
  temporary: 'tmp',
  /** HOME and temporary folder of whatever checks the agent's work: the agent in a sandbox does not see it. */
  checks: 'checks',
  /** Programs that come first on PATH. */
  binaries: 'bin',
  /** Logins as they were lent, where the agent cannot change them. */
  login: 'login',
} as const;

/** Those that the agent may write to. */
export const AGENT_FOLDERS = [RUN_FOLDERS.home, RUN_FOLDERS.config, RUN_FOLDERS.temporary] as const;

/** What the starts of the agent have left; it stays when the workspace goes. */
const startsFolder = (root: string): string => join(root, 'agent');
export const startFolder = (root: string, start: number): string => join(startsFolder(root), String(start));

/** The numbers of the agent's starts that have a folder, in no order. */
export function startNumbers(root: string): number[] {
  const folder = startsFolder(root);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => /^[1-9]\d*$/.test(name)).map(Number);
}
