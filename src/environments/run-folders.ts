import { readdir } from 'node:fs/promises';
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
export const startsFolder = (root: string): string => join(root, 'agent');
export const startFolder = (root: string, start: number): string => join(startsFolder(root), String(start));

/** The folders of all starts, whatever they have come to. */
export async function startFolders(root: string): Promise<string[]> {
  const names = await readdir(startsFolder(root)).catch(() => []);
  return names.filter((name) => /^\d+$/.test(name)).map((name) => startFolder(root, Number(name)));
}
