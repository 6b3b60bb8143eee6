import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import type { SnapshotFact, SweepFact } from '#decide';
import { readText, sweepEnvFile, TEMPORARY } from '#host';
import { parseJson, sha256 } from '#lib';
import { EffectiveScenario, Plan } from '#scenario';
import { planFile, scenarioFile, storeFolder, summaryFile, sweepsFolder } from '#store';
import { foldersIn, namesIn } from './gather-runs.js';

const changedAt = (file: string): number | null => lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null;

/**
 * Returns the sweeps that have ended and were not continued afterwards. A command that continues a sweep passes values
 * of variables to it again, so their file is then newer than the summary.
 */
export function endedSweeps(results: string, stateFolder: string): Set<string> {
  return new Set(
    foldersIn(sweepsFolder(results)).filter((sweep) => {
      const end = changedAt(summaryFile(results, sweep));
      const envChangedAt = changedAt(sweepEnvFile(stateFolder, sweep));
      return end !== null && (envChangedAt === null || envChangedAt <= end);
    }),
  );
}

/** Reads the folders of sweeps. A folder with neither plan nor summary is not a sweep. */
export function gatherSweeps(results: string, ended: ReadonlySet<string>): SweepFact[] {
  return foldersIn(sweepsFolder(results)).flatMap((id): SweepFact[] => {
    const state = ended.has(id) ? 'ended' : 'open';
    const file = planFile(results, id);
    if (changedAt(file) === null) {
      // An interrupted `clean` may have removed only the plan, which it removes first.
      const startedAt = changedAt(summaryFile(results, id));
      return startedAt === null ? [] : [{ id, state, startedAt, snapshots: [] }];
    }
    const plan = readPlanFile(file);
    if (plan === null) return [{ id, state: 'broken', startedAt: null, snapshots: [] }];
    const startedAt = Date.parse(plan.created_at);
    const snapshots = plan.scenarios.map(({ hash }) => hash);
    return [{ id, state, startedAt: Number.isNaN(startedAt) ? null : startedAt, snapshots }];
  });
}

function readPlanFile(file: string): Plan | null {
  try {
    return Plan.safeParse(parseJson(readText(file))).data ?? null;
  } catch {
    return null;
  }
}

/**
 * Lists the snapshots in the store. For the scenarios that plans name, also reads which fixtures and checks they use.
 */
export function gatherSnapshots(results: string, plans: readonly Pick<SweepFact, 'snapshots'>[]): SnapshotFact[] {
  const scenarios = new Set(plans.flatMap(({ snapshots }) => snapshots));
  return foldersIn(storeFolder(results))
    .filter((hash) => /^[0-9a-f]{64}$/.test(hash))
    .map((hash) => {
      if (!scenarios.has(hash)) return { hash, fixture: null, broken: false };
      const named = namedBy(results, hash);
      return { hash, fixture: named?.fixture ?? null, checks: named?.checks, broken: named === null };
    });
}

const Named = EffectiveScenario.pick({ fixture: true, checks: true });

function namedBy(results: string, hash: string): z.infer<typeof Named> | null {
  try {
    const text = readText(scenarioFile(results, hash));
    return sha256(text) === hash ? Named.parse(JSON.parse(text)) : null;
  } catch {
    return null;
  }
}

/** Returns paths next to sweeps and snapshots that are neither. */
export function unknownPaths(results: string, sweeps: readonly SweepFact[]): string[] {
  const known = new Set(sweeps.map(({ id }) => id));
  return [
    ...namesIn(sweepsFolder(results))
      .filter((name) => !known.has(name))
      .map((name) => join('sweeps', name)),
    ...namesIn(storeFolder(results))
      .filter((name) => !/^[0-9a-f]{64}$/.test(name) && !TEMPORARY.test(name))
      .map((name) => join('.store', name)),
  ];
}
