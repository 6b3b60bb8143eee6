import { findWork } from '#client';
import type { SweepDocument } from '#decide';
import { draftOf, type DraftOptions, openProject, refuseUnready, resolveRegrade } from '#planning';
import type { Plan } from '#scenario';
import { hasEnded } from '#sweeps';
import { removeSweep } from './clean/clean.js';
import { startAndFollow } from './run/run.js';
import { readEnvFile } from './shared/option-values.js';
import { printNotice, printSweep } from './shared/output.js';

export interface RegradeOptions extends Pick<DraftOptions, 'judge' | 'judgeModel' | 'concurrency' | 'maxUsd' | 'name'> {
  results?: string;
  address?: string;
  envFile?: string;
  /** Only so many runs that a model judged, at random. */
  sample?: number;
  /** Keep no results. */
  dryRun: boolean;
  detach: boolean;
  json: boolean;
}

/**
 * `regrade`: checks the work of a sweep's runs, or of one run, with the checks that the scenario files have now. Starts
 * no agent. Returns the exit code of the new sweep.
 */
export async function regrade(id: string, options: RegradeOptions): Promise<number> {
  const project = openProject(options.results);
  const { dryRun, envFile, sample, ...chosen } = options;
  const draft = draftOf({ ...chosen, variables: readEnvFile(envFile) });
  const work = await findWork(project.resultsPath, id, printNotice, sample);
  const sweep = await resolveRegrade(project, work, draft);
  await refuseUnready(sweep, false);
  if (!dryRun) return startAndFollow(sweep, options);
  const planned: Plan[] = [];
  try {
    const print = (document: SweepDocument): void => {
      printSweep(withoutPlaces(document), options.json);
    };
    return await startAndFollow(sweep, { ...options, print }, (plan) => {
      planned.push(plan);
    });
  } finally {
    for (const plan of planned) await removeDryRun(project.resultsPath, plan);
  }
}

/** The document without what will be gone in a moment. */
const withoutPlaces = (document: SweepDocument): SweepDocument => ({
  ...document,
  ui_url: null,
  cells: document.cells.map((cell) => ({ ...cell, results_dir: null })),
});

/** A dry run that was interrupted has not ended, and can be resumed. */
async function removeDryRun(resultsPath: string, plan: Plan): Promise<void> {
  if (!hasEnded(resultsPath, plan)) {
    printNotice(`dry run: ${plan.sweep} has not ended, and is kept`);
    return;
  }
  await removeSweep(resultsPath, plan.sweep).then(
    () => {
      printNotice('dry run: no results were kept');
    },
    (error: unknown) => {
      printNotice(`dry run: ${plan.sweep} could not be removed: ${(error as Error).message}`);
    },
  );
}
