import { dirname, join } from 'node:path';
import type { EnvironmentHandle } from '../../environments/environment.js';
import type { Place } from '../../environments/index.js';
import { CHECKS_FOLDERS, RUN_FOLDERS } from '../../environments/run-folders.js';
import { sha256 } from '../../lib/hash.js';
import type { ResolvedAgent } from '../credentials/resolve-agent.js';

/**
 * Private folders of a run below its root in the environment, the same for every attempt, and the environment variables
 * of what runs there.
 */
export interface RunPaths {
  home: string;
  config: string;
  temporary: string;
  binaries: string;
  /** PATH, HOME, locale. */
  baseEnv: Record<string, string>;
  /** The same for checks of the agent's work, with a HOME in which the agent cannot have left settings. */
  checksEnv: Record<string, string>;
}

/** An agent that is asked a single question in its own place: it judges a run, or is tried by `doctor`. */
export interface AgentInPlace extends ResolvedAgent, RunPaths {
  model: string;
  handle: EnvironmentHandle;
  /** Folder on the host in which what this agent does is recorded. */
  state: string;
}

/** Returns the private folders of a run below its root. */
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

/** Folder on the host in which a run records what it has done: manifests, fences, attempts, starts of the agent. */
export const stateOfRun = (stateFolder: string, run: string): string => join(stateFolder, 'work', run);
/** The same for the agent that judges the run. */
export const stateOfJudge = (state: string): string => join(state, 'judge');

/** The run's folder in every container. */
const ROOT_INSIDE = '/llm-tool-test';

/** The handle of a run in the place that was chosen for it. */
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

/** A daemon may serve several users whose runs have the same names. */
const containerName = (run: string, state: string): string =>
  `llm-tool-test-${run.replaceAll(/[^a-zA-Z0-9_.-]+/g, '_')}-${sha256(state).slice(0, 8)}`;

/** The handle of the agent that judges a run. Its mark is below the run's mark, so that it is killed with the run. */
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

/** Variables of the user's environment that make sense on any machine. */
const ANYWHERE = /^(LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|(HTTPS?|NO|ALL|FTP)_PROXY|(https?|no|all|ftp)_proxy)$/;

/** The part of the user's environment that all processes of a run get. In a container, PATH is that of the image. */
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
