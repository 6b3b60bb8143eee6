import { basename, dirname, join } from 'node:path';
import {
  accessFile,
  CHECKS_FOLDERS,
  type EnvironmentHandle,
  type Place,
  readRecord,
  RUN_FOLDERS,
  sharesHost,
} from '#environments';
import { defined, omit, sha256 } from '#lib';
import type { ResolvedAgent } from '../credentials/resolve-agent.js';

/**
 * Private folders of a run below its root in the environment, the same for every attempt, and the environment variables
 * of what runs there.
 */
export interface RunPaths {
  home: string;
  config: string;
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
    binaries,
    baseEnv: { ...base, PATH: path, HOME: home, TMPDIR: temporary },
    checksEnv: { ...base, PATH: path, HOME: join(root, checksHome), TMPDIR: join(root, checksTemporary) },
  };
}

/** The same run with the PATH of its cloud sandbox or pod, which is only known once that was made. */
export async function withPathInside<R extends RunPaths & { handle: EnvironmentHandle }>(run: R): Promise<R> {
  const { sandbox, pod } = run.handle;
  const path = sandbox === undefined && pod === undefined ? undefined : (await readRecord(run.handle))?.path;
  if (path === undefined) return run;
  const PATH = `${run.binaries}:${path}`;
  return { ...run, baseEnv: { ...run.baseEnv, PATH }, checksEnv: { ...run.checksEnv, PATH } };
}

/** Folder on the host in which what the agent that judges a run does is recorded. */
export const stateOfJudge = (state: string): string => join(state, 'judge');

/** The run's folder in every container and cloud sandbox. */
const ROOT_INSIDE = '/llm-tool-test';

/**
 * The handle of a run in the place that was chosen for it. Of the run, its agent sees only the name of the private
 * folder, which says nothing about it.
 */
export function handleOf(
  state: string,
  { type, container, sandbox, pod }: Pick<Place, 'type' | 'container' | 'sandbox' | 'pod'>,
  { hidden, project }: Pick<EnvironmentHandle, 'hidden' | 'project'>,
): EnvironmentHandle {
  const common = { type, journal: join(state, 'agent'), mark: basename(state), hidden, project };
  const inside = { ...common, root: ROOT_INSIDE, workspace: join(ROOT_INSIDE, 'workspace') };
  const name = machineName(state);
  if (container !== undefined) {
    const { command, id: image, limits, whole, user, workdir, layer } = container;
    return {
      ...inside,
      ...(whole === true ? { workspace: workdir } : {}),
      container: {
        command,
        image,
        name,
        ...defined({ limits, whole, user, layer }),
        ...(layer === undefined || limits?.network !== 'none' ? {} : { relay: join(state, 'relay') }),
      },
    };
  }
  if (sandbox !== undefined) return { ...inside, sandbox: { ...sandbox, name, access: accessFile(state) } };
  if (pod !== undefined) {
    // Its volume is owned by root: the run's own folder is below.
    const root = join(ROOT_INSIDE, 'run');
    const owner = sha256(dirname(state)).slice(0, 16);
    return { ...common, root, workspace: join(root, 'workspace'), pod: { ...pod, name, owner } };
  }
  return { ...common, root: state, workspace: join(state, 'workspace') };
}

/** A daemon or account may serve several users whose runs have the same names. */
const machineName = (state: string): string => `llm-tool-test-${basename(state)}-${sha256(state).slice(0, 8)}`;

/** The handle of the agent that judges a run. Its mark is below the run's mark, so that it is killed with the run. */
export function judgeHandle(handle: EnvironmentHandle): EnvironmentHandle {
  const root = join(handle.root, 'judge');
  const workspace = join(root, 'workspace');
  const journal = join(stateOfJudge(dirname(handle.journal)), 'agent');
  const mark = `${handle.mark}/judge`;
  const { container, sandbox, pod } = handle;
  return {
    ...handle,
    root,
    workspace,
    journal,
    mark,
    ...(container === undefined
      ? {}
      : { container: { ...omit(container, 'whole', 'layer', 'relay'), name: `${container.name}-judge` } }),
    ...(sandbox === undefined ? {} : { sandbox: { ...sandbox, name: `${sandbox.name}-judge` } }),
    ...(pod === undefined ? {} : { pod: { ...pod, name: `${pod.name}-judge` } }),
  };
}

/** Variables of the user's environment that make sense on any machine. */
const ANYWHERE = /^(LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|(HTTPS?|NO|ALL|FTP)_PROXY|(https?|no|all|ftp)_proxy)$/;

/**
 * The part of the user's environment that all processes of a run get. `path`: PATH in the run's own container or
 * sandbox, undefined if it is not known yet.
 */
export const baseIn = (
  handle: EnvironmentHandle,
  base: Record<string, string>,
  path: string | undefined,
): Record<string, string> =>
  sharesHost(handle)
    ? base
    : {
        ...Object.fromEntries(Object.entries(base).filter(([name]) => ANYWHERE.test(name))),
        ...defined({ PATH: path }),
      };
