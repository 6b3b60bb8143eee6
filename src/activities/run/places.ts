import { dirname, join } from 'node:path';
import { type EnvironmentHandle, environments, keepAccess, readRecord, sharesHost } from '#environments';
import { restoreAccess } from '#host';
import { defined, loopbackPorts } from '#lib';
import { STEPS } from '#model';
import { type EffectiveScenario, TARGET_PROGRAM } from '#scenario';
import { checksFolder, fixtureFolder, isBucket, runFiles, sharedProjectOf, stateOfRun } from '#store';
import type { RunRef } from '#protocol';
import { resolveEnv, type ResolvedAgent } from '../credentials/resolve-agent.js';
import { imageFor } from './images.js';
import { chooseMockPort, mockServerOf, mockServerPort } from './mock-server.js';
import { pathWithAgent, withAgent } from './mounted-agent.js';
import { baseIn, handleOf, judgeHandle, pathsIn, stateOfJudge } from './run-paths.js';
import { keptPlace, settledEnvironment } from './settled-environment.js';
import { mcpAddresses, type Variables } from './values-of-run.js';
import type { Deps } from '../step/deps.js';
import { openRunFile } from '../step/open-runs.js';
import { checkName } from './load-plan.js';
import type { PlacedRun, RunIdentity, RunPlaces } from './context.js';

/** The place that a scenario asks for. `values`: those of the variables of the sweep. */
function wantedBy({ environment, task }: RunIdentity['scenario'], values: Readonly<Record<string, string>>) {
  if (environment.type === 'kubernetes') return { ...environment, ...defined({ kubeconfig: values['KUBECONFIG'] }) };
  if (environment.type !== 'docker' || task === undefined) return environment;
  const { workdir, user } = task;
  return { ...environment, whole: defined({ workdir, user }) };
}

/** `decide`: whether the place is chosen now, if it is not yet. */
export async function loadPlaces(
  deps: Deps,
  identity: RunIdentity,
  { env, agent, judging, onServers }: Variables,
  decide: boolean,
): Promise<RunPlaces> {
  const { resultsPath, stateFolder } = deps;
  const { plan, run, scenario, state } = identity;
  // An agent without a sandbox may have removed our permissions.
  restoreAccess(state);
  const wanted = wantedBy(scenario, env.values);
  const taskEnv = resolveEnv(scenario.task?.env ?? {}, env.values).env;
  const build = identity.build === undefined ? undefined : () => imageFor(deps, identity, STEPS.image);
  const place = await settledEnvironment(state, wanted, decide, [plan.project, dirname(resultsPath)], build, (chosen) =>
    withAgent(chosen, agent.agent, scenario, env.base['PATH'], openRunFile(deps, run)),
  );
  const addresses = [...Object.values(onServers.env), ...mcpAddresses(identity.subject, env.values)];
  const mockServer = mockServerOf(identity);
  if (mockServer !== null && decide) await chooseMockPort(mockServer);
  const mockPort = mockServer === null ? null : mockServerPort(mockServer);
  const networkFor = (
    { access, settings }: ResolvedAgent,
    servers: readonly string[] = [],
    more: readonly number[] = [],
  ): Pick<EnvironmentHandle, 'network'> =>
    place.network === 'shared' || !sharesHost(place)
      ? {}
      : {
          network: {
            ports: [
              ...plan.sandbox.allow_loopback,
              ...more,
              ...[access?.baseUrl ?? null, ...Object.values(settings?.env ?? {}), ...servers].flatMap(loopbackPorts),
            ],
          },
        };
  const handle: EnvironmentHandle = {
    ...handleOf(state, place, {
      // The state of all engines: that of this one may be next to others.
      hidden: [
        ...[dirname(stateFolder), resultsPath, ...(await sharedFolderOf(resultsPath))],
        ...[...(deps.hidden ?? []), ...plan.hidden],
      ],
      project: plan.project,
    }),
    ...networkFor(agent, addresses, mockPort === null ? [] : [mockPort]),
  };
  if (handle.sandbox !== undefined) await keepAccess(handle.sandbox, env.values);
  const own = taskEnv['PATH'] ?? place.container?.path ?? (await readRecord(handle))?.path;
  const path = pathWithAgent(own, place, scenario);
  // The container of a task has its own language and proxies.
  const base = baseIn(handle, scenario.task === undefined ? env.base : {}, path);
  return {
    environment: environments[place.type],
    handle,
    place,
    ...pathsIn(handle.root, { ...base, ...onServers.env }),
    files: runFiles(join(resultsPath, run.run)),
    checksFolder: identity.checks === undefined ? null : checksFolder(resultsPath, identity.checks),
    targetPath: targetPathOf(resultsPath, identity),
    judgeAgent:
      judging === null
        ? null
        : {
            ...judging,
            state: stateOfJudge(state),
            handle: { ...judgeHandle(handle), ...networkFor(judging) },
            ...pathsIn(judgeHandle(handle).root, base),
          },
  };
}

/** The host of a run may not have the file that the command line found. */
export const targetPathOf = (
  resultsPath: string,
  { target_path, target_stored }: Pick<EffectiveScenario, 'target_path' | 'target_stored'>,
): string | null =>
  target_stored === undefined ? target_path : join(fixtureFolder(resultsPath, target_stored), TARGET_PROGRAM);

/** The folder that several hosts share: it has the key of the team, and the work of other runs. */
async function sharedFolderOf(resultsPath: string): Promise<string[]> {
  const location = (await sharedProjectOf(resultsPath))?.location ?? null;
  return location === null || isBucket(location) ? [] : [location];
}

/**
 * The places of a run and its judge, as far as is needed to stop and remove them, even if the plan is gone. Processes
 * in a sandbox are killed like any others.
 */
export async function placesOfRun(
  { stateFolder }: Pick<Deps, 'stateFolder'>,
  { run }: Pick<RunRef, 'run'>,
): Promise<PlacedRun[]> {
  checkName(run);
  const state = stateOfRun(stateFolder, run);
  const place = (await keptPlace(state)) ?? { type: 'local' };
  const handle = handleOf(state, place, { hidden: [], project: null });
  const environment = environments[place.type];
  return [judgeHandle(handle), handle].map((each) => ({ environment, handle: each }));
}
