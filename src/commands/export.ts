import { existsSync, readdirSync, statSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fillWorkspace } from '#environments';
import { copyTree, displayPath, listTree, readText, removeTree, writeFileAtomic } from '#host';
import { counted, defined, UsageError } from '#lib';
import { Metrics, RunRecord } from '#model';
import { draftOf, openProject, selectScenarios } from '#planning';
import { harborJob, type HarborTrial, harborTrial, trajectoryOf } from '#reports';
import { WORKSPACE_FILES, writeTask } from '#scenario';
import { readEvents, readResultsFile, runFiles } from '#store';
import { bringSweepRuns, findById, sweepDocument } from '#sweeps';
import { orUnwritable } from './shared/new-files.js';
import { printJson, printNotice } from './shared/output.js';

/** Writes files below a folder. @throws UsageError if they cannot be written */
const writeAll = (folder: string, files: Readonly<Record<string, string>>): Promise<void> =>
  orUnwritable(folder, `${folder} cannot be written`, async () => {
    for (const [path, text] of Object.entries(files)) {
      const file = join(folder, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFileAtomic(file, text);
    }
  });

/** @throws UsageError if something is at this path that would be mixed with what is written */
export function refuseUsed(folder: string): void {
  const info = statSync(folder, { throwIfNoEntry: false });
  if (info === undefined || (info.isDirectory() && readdirSync(folder).length === 0)) return;
  throw new UsageError('files_unwritable', `${displayPath(folder)} exists; name another folder, or remove it`);
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** The files of a trial, by their paths in its folder. */
const filesOfTrial = ({ config, result, output }: HarborTrial, trajectory: string | null): Record<string, string> => ({
  'config.json': json(config),
  'result.json': json(result),
  ...defined({ 'agent/trajectory.json': trajectory, 'verifier/test-stdout.txt': output }),
  ...(result.verifier_result === null ? {} : { 'verifier/reward.json': json(result.verifier_result.rewards) }),
  ...(result.exception_info === null ? {} : { 'exception.txt': `${result.exception_info.exception_message}\n` }),
});

/** `export SWEEP --harbor FOLDER`: writes a sweep as a job of Harbor into a folder of jobs. */
export async function exportHarbor(
  id: string,
  jobs: string,
  { results, json: asJson }: { results?: string | undefined; json: boolean },
): Promise<number> {
  const { resultsPath } = openProject(results);
  const found = await findById(resultsPath, id);
  if (found.kind === 'run') throw new UsageError('usage', `'${id}' is a run, not a sweep; export its sweep`);
  const { plan } = found;
  const folder = join(resolve(jobs), plan.sweep);
  refuseUsed(folder);
  await bringSweepRuns(resultsPath, plan.sweep);
  const { cells, status } = await sweepDocument(resultsPath, plan, printNotice);
  const trials: HarborTrial[] = [];
  for (const { results_dir: run } of cells) {
    const files = run === null ? null : runFiles(run);
    if (files === null || !existsSync(files.run) || !existsSync(files.metrics)) continue;
    const record = readResultsFile(files.run, RunRecord);
    const trial = harborTrial(record, readResultsFile(files.metrics, Metrics), folder);
    const hasTrajectory = record.agent !== null && existsSync(files.events);
    const trajectory = hasTrajectory ? json(trajectoryOf(record, readEvents(files.events))) : null;
    await writeAll(join(folder, trial.name), filesOfTrial(trial, trajectory));
    trials.push(trial);
  }
  if (trials.length === 0) throw new UsageError('nothing_selected', `no run of ${plan.sweep} has ended`);
  const attempts = Math.max(...cells.map(({ repetition }) => repetition));
  const isOver = status === 'completed' || status === 'cancelled';
  const job = harborJob(plan.sweep, resolve(jobs), trials, { total: cells.length, attempts, isOver });
  await writeAll(folder, { 'config.json': json(job.config), 'result.json': json(job.result) });
  const without = cells.length - trials.length;
  if (without > 0) printNotice(`${without} of ${cells.length} cells have no run, and are pending in the job`);
  if (asJson) printJson({ job: folder, trials: trials.map(({ name }) => name) });
  else printNotice(`job  ${displayPath(folder)}: ${trials.length} trials`);
  return 0;
}

/**
 * `export SCENARIO --task FOLDER`: writes a scenario as a task folder of Harbor.
 *
 * @throws UsageError with everything of it that does not fit, at its place
 */
export async function exportTask(name: string, folder: string, { json: asJson }: { json: boolean }): Promise<number> {
  const project = openProject();
  const [selected, ...others] = await selectScenarios(project, draftOf({ files: [name] }));
  const [variant, ...variants] = selected?.variants ?? [];
  if (selected === undefined || variant === undefined || others.length > 0)
    throw new UsageError('usage', `'${name}' names ${others.length + 1} scenarios; a task folder is made of one`);
  const { file, text, problemAt } = selected;
  const { fixture, checks, build, scenario } = variant;
  const dockerfile = build === null ? null : readText(join(build, 'Dockerfile'));
  const written = writeTask(scenario, problemAt, dockerfile);
  const problems = [
    ...(variants.length === 0
      ? []
      : [problemAt(['matrix', 'variants'], 'a task has no variants; write a scenario for each')]),
    ...(written.ok ? [] : written.problems),
  ];
  if (!written.ok || problems.length > 0)
    throw new UsageError(
      'scenario_invalid',
      `${file} does not fit into a task folder in ${counted(problems.length, 'part')}`,
      problems,
      new Map([[file, text]]),
    );
  refuseUsed(folder);
  const into = resolve(folder);
  const workspace = join(into, WORKSPACE_FILES);
  await mkdir(dirname(workspace), { recursive: true });
  await fillWorkspace(workspace, { fixture, files: scenario.inputs.files });
  for (const path of variant.notCopied.fixture) await removeTree(join(workspace, path));
  const sources = { checks, build };
  for (const { of, below, to } of written.task.copies) {
    const source = sources[of];
    if (source === null) continue;
    const from = join(source, below);
    const isLeftOut = (path: string): boolean =>
      of === 'checks' && variant.notCopied.checks.includes(join(below, path));
    await mkdir(join(into, to), { recursive: true });
    await copyTree(from, await listTree(from, isLeftOut), join(into, to));
  }
  const { files } = written.task;
  await writeAll(into, Object.fromEntries(files.map((one) => [one.path, one.text])));
  for (const { path, executable } of files) if (executable === true) await chmod(join(into, path), 0o755);
  if (asJson) printJson({ task: into, files: files.map(({ path }) => path) });
  else printNotice(`task  ${displayPath(into)}`);
  return 0;
}
