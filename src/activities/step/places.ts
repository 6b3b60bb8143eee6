import { join } from 'node:path';
import type { EnvironmentHandle } from '../../environments/environment.js';
import { RUN_FOLDERS } from '../../environments/run-folders.js';
import type { EquippedAgent } from '../equip/equip-agent.js';

/** Private folders below a root, the same for every attempt, and what is seen of them by what runs there. */
export interface Places {
  home: string;
  config: string;
  temporary: string;
  binaries: string;
  /** HOME and temporary folder of what checks the agent's work: not the agent's, who could leave settings there. */
  checks: string[];
  /** PATH, HOME, locale. */
  baseEnv: Record<string, string>;
  /** The same for what checks the agent's work. */
  checksEnv: Record<string, string>;
}

/** An agent that is asked one thing, in a place of its own: it judges a run, or is tried. */
export interface PlacedAgent extends EquippedAgent, Places {
  model: string;
  handle: EnvironmentHandle;
}

/** The private folders of a run below its root. */
export function placesIn(root: string, base: Record<string, string>): Places {
  const home = join(root, RUN_FOLDERS.home);
  const config = join(root, RUN_FOLDERS.config);
  const temporary = join(root, RUN_FOLDERS.temporary);
  const binaries = join(root, RUN_FOLDERS.binaries);
  const checks = ['home', 'tmp'].map((name) => join(root, RUN_FOLDERS.checks, name));
  const [checksHome = '', checksTemporary = ''] = checks;
  const path = `${binaries}:${base['PATH'] ?? '/usr/local/bin:/usr/bin:/bin'}`;
  return {
    home,
    config,
    temporary,
    binaries,
    checks,
    baseEnv: { ...base, PATH: path, HOME: home, TMPDIR: temporary },
    checksEnv: { ...base, PATH: path, HOME: checksHome, TMPDIR: checksTemporary },
  };
}

/** Where an agent judges a run: marked below the run's mark, so that it ends with the run. */
export function judgeHandle(handle: EnvironmentHandle): EnvironmentHandle {
  const root = join(handle.root, 'judge');
  return { ...handle, root, workspace: join(root, 'workspace'), mark: `${handle.mark}/judge` };
}
