import { dirname, join } from 'node:path';
import type { EnvironmentHandle } from '../../environments/environment.js';
import type { Place } from '../../environments/index.js';
import { CHECKS_FOLDERS, RUN_FOLDERS } from '../../environments/run-folders.js';
import { sha256 } from '../../lib/hash.js';
import type { EquippedAgent } from '../credentials/equip-agent.js';

/** Private folders below a root in the environment, the same for every attempt, and what is seen of them by what runs there. */
export interface RunPaths {
  home: string;
  config: string;
  temporary: string;
  binaries: string;
  /** PATH, HOME, locale. */
  baseEnv: Record<string, string>;
  /** The same for what checks the agent's work, with a HOME where the agent cannot have left settings. */
  checksEnv: Record<string, string>;
}

/** An agent that is asked one thing, in a place of its own: it judges a run, or is tried. */
export interface AgentInPlace extends EquippedAgent, RunPaths {
  model: string;
  handle: EnvironmentHandle;
  /** Folder of the host where the run remembers what it does with this agent. */
  state: string;
}

/** The private folders of a run below its root. */
export function pathsIn(root: string, base: Record<string, string>): RunPaths {
  const home = join(root, RUN_FOLDERS.home);
  const config = join(root, RUN_FOLDERS.config);
  const temporary = join(root, RUN_FOLDERS.temporary);
  const binaries = join(root, RUN_FOLDERS.binaries);
  const [checksHome, checksTemporary] = CHECKS_FOLDERS;
  const path = `${binaries}:${base['PATH'] ?? '/usr/local/bin:/usr/bin:/bin'}`;
  return {
    home,
    config,
    temporary,
    binaries,
    baseEnv: { ...base, PATH: path, HOME: home, TMPDIR: temporary },
    checksEnv: { ...base, PATH: path, HOME: join(root, checksHome), TMPDIR: join(root, checksTemporary) },
  };
}

/** Folder of the host in which a run remembers what it has done: manifests, fences, attempts, starts of the agent. */
export const stateOfRun = (stateFolder: string, run: string): string => join(stateFolder, 'work', run);
/** The same for the agent that judges the run. */
export const stateOfJudge = (state: string): string => join(state, 'judge');

/** The run's folder in a container: the same in each. */
const ROOT_INSIDE = '/llm-tool-test';

/** Where a run takes place, as it was settled. */
export function handleOf(
  run: string,
  state: string,
  { type, container }: Pick<Place, 'type' | 'container'>,
  { hidden, project }: Pick<EnvironmentHandle, 'hidden' | 'project'>,
): EnvironmentHandle {
  const common = { type, journal: join(state, 'agent'), mark: run, hidden, project };
  if (container === undefined) return { ...common, root: state, workspace: join(state, 'fixture') };
  const { command, id: image } = container;
  return {
    ...common,
    root: ROOT_INSIDE,
    workspace: join(ROOT_INSIDE, 'workspace'),
    container: { command, image, name: containerName(run, state) },
  };
}

/** A daemon may serve several users, whose runs may have the same names. */
const containerName = (run: string, state: string): string =>
  `llm-tool-test-${run.replaceAll(/[^a-zA-Z0-9_.-]+/g, '_')}-${sha256(state).slice(0, 8)}`;

/** Where an agent judges a run: marked below the run's mark, so that it ends with the run. */
export function judgeHandle(handle: EnvironmentHandle): EnvironmentHandle {
  const root = join(handle.root, 'judge');
  const workspace = join(root, 'workspace');
  const journal = join(stateOfJudge(dirname(handle.journal)), 'agent');
  const mark = `${handle.mark}/judge`;
  const { container } = handle;
  return {
    ...{ ...handle, root, workspace, journal, mark },
    ...(container === undefined ? {} : { container: { ...container, name: `${container.name}-judge` } }),
  };
}

/** Of the user's environment, what means something on any machine. */
const ANYWHERE = /^(LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|(HTTPS?|NO|ALL|FTP)_PROXY|(https?|no|all|ftp)_proxy)$/;

/** What everything that a run starts has of the user's environment: in a container, PATH is that of the image. */
export const baseIn = (
  { container }: Pick<Place, 'container'>,
  base: Record<string, string>,
): Record<string, string> =>
  container === undefined
    ? base
    : {
        ...Object.fromEntries(Object.entries(base).filter(([name]) => ANYWHERE.test(name))),
        PATH: container.path,
      };
