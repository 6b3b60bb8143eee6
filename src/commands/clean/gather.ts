import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { planClean, type CleanFacts, type CleanPlan } from '../../results/plan-clean.js';
import { gatherLines, gatherRuns, type RunFolders } from './gather-runs.js';
import { endedSweeps, gatherSnapshots, gatherSweeps, unknownPaths } from './gather-sweeps.js';
import { gatherSchedules } from './gather-schedules.js';
import { abandonedTemporaries } from './temporaries.js';

/** The folders that `clean` looks at. */
export interface Places {
  results: string;
  state: string;
  work: string;
}

/** What was found, and which of it can be deleted. */
export interface Proposal {
  facts: CleanFacts;
  plan: CleanPlan;
  runs: RunFolders;
  temporaries: string[];
  /** Paths in the results folder that this program did not create. */
  unknownPaths: string[];
}

/**
 * Looks at results and private state, and determines what can be deleted of runs that started before `before`. `only`:
 * the only sweep whose runs can be deleted.
 */
export async function propose(places: Places, before: number, now: number, only?: string): Promise<Proposal> {
  // States of sweeps first, their plans last: a sweep that starts or ends in between counts as open.
  const ended = endedSweeps(places.results, places.state);
  const sweepEnvs = sweepsWithValues(places.state);
  const lines = gatherLines(places.results);
  const runs = gatherRuns(places.results, places.work, lines);
  const sweeps = gatherSweeps(places.results, ended);
  const schedules = await gatherSchedules(places.results);
  const facts: CleanFacts = {
    sweeps,
    lines,
    runs: runs.facts,
    schedules,
    snapshots: gatherSnapshots(places.results, [...sweeps, ...schedules]),
    sweepEnvs,
  };
  return {
    facts,
    plan: planClean(facts, before, only),
    runs,
    temporaries: abandonedTemporaries(places.results, places.state, now),
    unknownPaths: [...runs.unknownPaths, ...unknownPaths(places.results, sweeps)],
  };
}

function sweepsWithValues(state: string): string[] {
  const folder = join(state, 'env');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length));
}
