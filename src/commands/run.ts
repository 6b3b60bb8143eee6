import { parseEnv } from 'node:util';
import { readFileSync } from 'node:fs';
import { projectState } from '../platform/folders.js';
import { handoverFrom, writeHandover } from '../platform/handover.js';
import { renderSweep } from '../reports/sweep-text.js';
import { buildSweepDocument, exitCodeOf, type SweepDocument } from '../results/sweep-document.js';
import type { Plan } from '../scenario/plan.js';
import { sweepWorkflowId } from '../workflows/protocol.js';
import { follow } from './follow/follow.js';
import { printJson, say, textOptions } from './output.js';
import { draftSweep, writePlan, type Draft, type SweepFlags } from './plan-sweep.js';
import { checkWritable, openProject, type Project } from './project.js';
import { selectScenarios, type Selection } from './select-scenarios.js';
import { openSession, uiPage, type Session } from './session.js';
import { startSweep } from './start-sweep.js';
import { UsageError } from './usage-error.js';

export interface RunOptions extends Selection, SweepFlags {
  results?: string;
  address?: string;
  envFile?: string;
  dryRun: boolean;
  detach: boolean;
  json: boolean;
  passWithNoScenarios: boolean;
}

/** `run`: plan, start, follow. Returns the exit code. */
export async function run(options: RunOptions): Promise<number> {
  if (options.detach && (process.env['CI'] ?? '') !== '') {
    throw new UsageError('detach_in_ci', '--detach is refused in CI: nothing would wait for the results');
  }
  const project = openProject(options.results);
  const selected = await selectScenarios(project, options);
  if (selected.length === 0) {
    if (options.passWithNoScenarios) return finish(emptyDocument(), options, false);
    throw new UsageError('nothing_selected', 'no scenario was selected; --pass-with-no-scenarios makes that a success');
  }
  const environment = { ...process.env, ...readEnvFile(options.envFile) };
  const draft = draftSweep(project, selected, options);
  await checkWritable(project.resultsPath);
  if (options.dryRun) return showDraft(draft, project, options.json);

  const plan = await writePlan(project, draft, options.name);
  const { folder } = projectState(project.resultsPath);
  await writeHandover(folder, plan.sweep, handoverFrom(environment, draft.variables));
  const session = await openSession(project.resultsPath, options);
  try {
    await startSweep(session, plan, 1);
    if (!options.detach) return await followToEnd(session, plan, project, options);
    const document = documentOf(plan, project, session);
    if (options.json) printJson(document);
    else say(`started ${plan.sweep}; \`llm-tool-test resume ${plan.sweep}\` follows it, ${document.ui_url ?? ''}`);
    return 0;
  } finally {
    await session.close();
  }
}

/** Follows a sweep, prints what it came to, and gives the exit code. */
export async function followToEnd(
  session: Session,
  plan: Plan,
  { resultsPath }: Pick<Project, 'resultsPath'>,
  options: { json: boolean },
): Promise<number> {
  const { client, stateFolder, engine } = session;
  const uiUrl = uiPage(engine, sweepWorkflowId(plan.sweep));
  const { document, interrupted } = await follow({ client, plan, resultsPath, stateFolder, uiUrl });
  return finish(document, options, interrupted);
}

function finish(document: SweepDocument, { json }: { json: boolean }, interrupted: boolean): number {
  if (json) printJson(document);
  else process.stdout.write(renderSweep(document, textOptions()));
  if (document.status === 'paused') {
    say(`paused: \`llm-tool-test resume ${document.sweep}\` goes on, \`llm-tool-test cancel ${document.sweep}\` ends it`);
  }
  return interrupted ? 130 : exitCodeOf(document);
}

const documentOf = (plan: Plan, { resultsPath }: Project, { engine }: Session): SweepDocument =>
  buildSweepDocument({
    sweep: plan.sweep,
    workflowId: sweepWorkflowId(plan.sweep),
    uiUrl: uiPage(engine, sweepWorkflowId(plan.sweep)),
    status: 'running',
    cells: plan.cells,
    results: [],
    resultsPath,
  });

const emptyDocument = (): SweepDocument =>
  buildSweepDocument({ sweep: '', workflowId: '', uiUrl: null, status: 'completed', cells: [], results: [], resultsPath: '' });

function readEnvFile(file: string | undefined): NodeJS.Dict<string> {
  if (file === undefined) return {};
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError('env_file', `--env-file ${file}: ${(error as Error).message}`);
  }
}

function showDraft(draft: Draft, { resultsPath }: Project, json: boolean): number {
  const scenarios = draft.scenarios.map(({ selected, effective }) => ({
    name: selected.scenario.name,
    file: selected.file,
    fixture: selected.fixture,
    target: effective.target.binary,
    timeout_secs: effective.timeout_secs,
    gates: selected.scenario.evaluation.gates.length,
  }));
  if (json) {
    printJson({ dry_run: true, results_path: resultsPath, concurrency: draft.concurrency, scenarios, cells: draft.cells });
    return 0;
  }
  process.stdout.write(`${draft.cells.length} cells, ${draft.concurrency} at once, results in ${resultsPath}\n`);
  for (const { name, file, fixture, target, timeout_secs, gates } of scenarios) {
    process.stdout.write(`  ${name}  (${file}, fixture ${fixture}, target ${target}, ${gates} gates, ${timeout_secs} s)\n`);
  }
  for (const cell of draft.cells) process.stdout.write(`  ${cell.id}\n`);
  return 0;
}
