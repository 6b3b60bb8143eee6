import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { planClean, type CleanFacts, type CleanPlan } from '../../results/plan-clean.js';
import { gatherLines, gatherRuns, type RunFolders } from './gather-runs.js';
import { endedSweeps, gatherSnapshots, gatherSweeps, strangers } from './gather-sweeps.js';
import { abandonedTemporaries } from './temporaries.js';

/** Where things are. */
export interface Places {
  results: string;
  state: string;
  work: string;
}

/** What is there, and what of it may go. */
export interface Proposal {
  facts: CleanFacts;
  plan: CleanPlan;
  runs: RunFolders;
  temporaries: string[];
  /** Paths in the results folder of what is not ours. */
  strangers: string[];
}

/** Looks at results and private state, and says what may go of what was started before `before`. */
export function propose(places: Places, before: number, now: number): Proposal {
  // The states of sweeps first and their plans last: what begins or ends in between counts as going on.
  const ended = endedSweeps(places.results, places.state);
  const handovers = handedOver(places.state);
  const lines = gatherLines(places.results);
  const runs = gatherRuns(places.results, places.work, lines);
  const sweeps = gatherSweeps(places.results, ended);
  const facts: CleanFacts = {
    sweeps,
    lines,
    runs: runs.facts,
    snapshots: gatherSnapshots(places.results, sweeps),
    handovers,
  };
  return {
    facts,
    plan: planClean(facts, before),
    runs,
    temporaries: abandonedTemporaries(places.results, places.state, now),
    strangers: [...runs.strangers, ...strangers(places.results, sweeps)],
  };
}

function handedOver(state: string): string[] {
  const folder = join(state, 'env');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length));
}
