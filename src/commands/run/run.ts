import { projectState } from '../../platform/folders.js';
import { sweepEnvFrom } from '../../platform/sweep-env.js';
import { buildSweepDocument, type SweepDocument } from '../../results/records/sweep-document.js';
import type { Plan } from '../../scenario/plan.js';
import { originOf } from '../../store/origin.js';
import { sweepWorkflowId } from '../../workflows/protocol.js';
import { readEnvFile } from '../shared/env-file.js';
import { catchSignals, giveUp } from '../shared/signals.js';
import { errorDocument, printJson, say } from '../shared/output.js';
import { ownCommand } from '../../platform/invocation.js';
import { checkAgentConsent, checkJudgeConsent } from '../../planning/check-spending-consent.js';
import { checkContainers, checkSandbox } from '../../planning/check-sandbox.js';
import { resolveSweep, type ResolvedSweep, type SweepFlags } from '../../planning/resolve-sweep.js';
import { targetsOfSweep, notReusedWarnings } from '../../planning/not-reused.js';
import { selectScenarios, type Selection } from '../../planning/select-scenarios.js';
import { printDryRun } from './print-dry-run.js';
import { writePlan } from '../../planning/write-plan.js';
import { checkWritable, openProject, type Project } from '../../planning/project.js';
import type { Session } from '../../client/session.js';
import { handOver } from '../../client/hand-over.js';
import { storedScenarios } from '../../client/hand-over-again.js';
import { uiPage } from '../../client/ui-page.js';
import { UsageError } from '../../lib/usage-error.js';

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
    throw new UsageError('detach_in_ci', '--detach cannot be used in CI: nothing would wait for the results');
  }
  const project = openProject(options.results);
  const selected = await selectScenarios(project, options);
  if (selected.length === 0) {
    if (options.passWithNoScenarios) return sayNothingRan(options.json);
    throw new UsageError(
      'nothing_selected',
      'no scenarios selected; use --pass-with-no-scenarios to exit 0 in this case',
    );
  }
  const environment = { ...process.env, ...readEnvFile(options.envFile) };
  const resolved = resolveSweep(project, selected, options);
  await checkSandbox(project, resolved);
  await checkContainers(resolved);
  // A dry run spends nothing: it shows what would be paid for.
  if (!options.dryRun) checkConsent(project, resolved);
  await checkWritable(project.resultsPath);
  if (options.dryRun) return printDryRun(resolved, project, options.json);

  for (const warning of await notReusedWarnings(project, targetsOfSweep(resolved))) say(warning);
  // Before there is a plan: what is there when the key is made is taken to be of an older build.
  await originOf({ resultsPath: project.resultsPath, stateFolder: projectState(project.resultsPath).folder });
  const plan = await writePlan(project, resolved, options.name);
  const session = await openSessionFor(plan, project, options);
  try {
    const { startSweep } = await import('../../client/start-sweep.js');
    const signals = options.detach ? null : catchSignals(() => giveUp(plan.sweep, options.json));
    // Not before the engine is there: were it given up, the values would lie about.
    const scenarios = storedScenarios(project.resultsPath, plan);
    await handOver(session, plan, scenarios, sweepEnvFrom(environment, resolved.variables));
    await startSweep(session, plan, 1);
    if (signals !== null) {
      const { followToEnd } = await import('../shared/follow-to-end.js');
      return await followToEnd(session, plan, project.resultsPath, options.json, signals);
    }
    const document = startedDocument(plan, project, uiPage(session.engine, sweepWorkflowId(plan.sweep)));
    if (options.json) printJson(document);
    else
      say(
        `started ${plan.sweep}; follow it with ${ownCommand(`resume ${plan.sweep}`)}\n${document.ui_url ?? ''}`,
      );
    return 0;
  } finally {
    await session.close();
  }
}

/** The engine may take minutes to come. Whoever does not wait for it is told how to go on. */
async function openSessionFor(plan: Plan, { resultsPath }: Project, options: RunOptions): Promise<Session> {
  const message = `${plan.sweep} is planned but not started; start it with ${ownCommand(`resume ${plan.sweep}`)}`;
  const onSignal = (): void => {
    if (options.json) printJson(errorDocument('interrupted', message));
    say(message);
    process.exit(130);
  };
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  try {
    // Only now is Temporal's client needed, which takes longer to load than all that came before to run.
    const { openSession } = await import('../../client/session.js');
    return await openSession(resultsPath, say, options);
  } catch (error) {
    say(message);
    throw error;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

function checkConsent({ config }: Project, { cells, scenarios }: ResolvedSweep): void {
  for (const name of new Set(cells.map(({ agent }) => agent))) checkAgentConsent(config, name);
  for (const { effective } of scenarios)
    if (effective.judge !== null) checkJudgeConsent(config, effective.judge.model);
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
  else say('no scenarios selected');
  return 0;
}
