import { projectState } from '../platform/folders.js';
import { handoverFrom } from '../platform/handover.js';
import { buildSweepDocument, type SweepDocument } from '../results/sweep-document.js';
import type { Plan } from '../scenario/plan.js';
import { originOf } from '../store/origin.js';
import { sweepWorkflowId } from '../workflows/protocol.js';
import { readEnvFile } from './env-file.js';
import { catchSignals, giveUp } from './follow/signals.js';
import { errorDocument, printJson, say } from './output.js';
import { ownCommand } from './own-name.js';
import { checkAgentLeave, checkJudgeLeave } from './plan/check-leave.js';
import { checkSandbox } from './plan/check-sandbox.js';
import { draftSweep, type Draft, type SweepFlags } from './plan/draft-sweep.js';
import { targetsOfDraft, warnOfNotReused } from './plan/not-reused.js';
import { selectScenarios, type Selection } from './plan/select-scenarios.js';
import { showDraft } from './plan/show-draft.js';
import { writePlan } from './plan/write-plan.js';
import { checkWritable, openProject, type Project } from './project.js';
import type { Session } from './session.js';
import { handOver } from './sweeps/hand-over.js';
import { storedScenarios } from './sweeps/hand-over-again.js';
import { uiPage } from './ui-page.js';
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
    if (options.passWithNoScenarios) return sayNothingRan(options.json);
    throw new UsageError(
      'nothing_selected',
      'no scenario was selected; --pass-with-no-scenarios makes that a success',
    );
  }
  const environment = { ...process.env, ...readEnvFile(options.envFile) };
  const draft = draftSweep(project, selected, options);
  await checkSandbox(project, draft);
  // A dry run spends nothing: it shows what would be paid for.
  if (!options.dryRun) checkLeave(project, draft);
  await checkWritable(project.resultsPath);
  if (options.dryRun) return showDraft(draft, project, options.json);

  await warnOfNotReused(project, targetsOfDraft(draft));
  // Before there is a plan: what is there when the key is made is taken to be of an older build.
  await originOf({ resultsPath: project.resultsPath, stateFolder: projectState(project.resultsPath).folder });
  const plan = await writePlan(project, draft, options.name);
  const session = await openSessionFor(plan, project, options);
  try {
    const { startSweep } = await import('./sweeps/start-sweep.js');
    const signals = options.detach ? null : catchSignals(() => giveUp(plan.sweep, options.json));
    // Not before the engine is there: were it given up, the values would lie about.
    const scenarios = storedScenarios(project.resultsPath, plan);
    await handOver(session, plan, scenarios, handoverFrom(environment, draft.variables));
    await startSweep(session, plan, 1);
    if (signals !== null) {
      const { followToEnd } = await import('./follow/follow-to-end.js');
      return await followToEnd(session, plan, project.resultsPath, options.json, signals);
    }
    const document = startedDocument(plan, project, uiPage(session.engine, sweepWorkflowId(plan.sweep)));
    if (options.json) printJson(document);
    else
      say(
        `started ${plan.sweep}; ${ownCommand(`resume ${plan.sweep}`)} follows it\n${document.ui_url ?? ''}`,
      );
    return 0;
  } finally {
    await session.close();
  }
}

/** The engine may take minutes to come. Whoever does not wait for it is told how to go on. */
async function openSessionFor(plan: Plan, { resultsPath }: Project, options: RunOptions): Promise<Session> {
  const message = `${plan.sweep} is planned and not started: ${ownCommand(`resume ${plan.sweep}`)} starts it`;
  const onSignal = (): void => {
    if (options.json) printJson(errorDocument('interrupted', message));
    say(message);
    process.exit(130);
  };
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  try {
    // Only now is Temporal's client needed, which takes longer to load than all that came before to run.
    const { openSession } = await import('./session.js');
    return await openSession(resultsPath, options);
  } catch (error) {
    say(message);
    throw error;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

function checkLeave({ config }: Project, { cells, scenarios }: Draft): void {
  for (const name of new Set(cells.map(({ agent }) => agent))) checkAgentLeave(config, name);
  for (const { effective } of scenarios)
    if (effective.judge !== null) checkJudgeLeave(config, effective.judge.model);
}

const startedDocument = (plan: Plan, { resultsPath }: Project, uiUrl: string | null): SweepDocument =>
  buildSweepDocument({
    sweep: plan.sweep,
    workflowId: sweepWorkflowId(plan.sweep),
    uiUrl,
    status: 'running',
    maxUsd: plan.max_usd,
    cells: plan.cells,
    results: [],
    resultsPath,
  });

function sayNothingRan(json: boolean): number {
  const nothing = {
    sweep: '',
    workflowId: '',
    uiUrl: null,
    status: 'completed',
    maxUsd: null,
    cells: [],
    results: [],
    resultsPath: '',
  } as const;
  if (json) printJson(buildSweepDocument(nothing));
  else say('no scenario was selected');
  return 0;
}
