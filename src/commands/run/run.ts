import { isMirror } from '../../platform/folders.js';
import { buildSweepDocument, type SweepDocument } from '../../results/records/sweep-document.js';
import { scenarioLabel } from '../../results/records/cell-label.js';
import { modelAsked, type Plan } from '../../scenario/plan.js';
import { sweepWorkflowId } from '../../workflows/protocol.js';
import { formatProblem } from '../../lib/errors/problem.js';
import { readEnvFile } from '../shared/env-file.js';
import { catchSignals, reportInterrupted } from '../shared/signals.js';
import { errorDocument, printJson, printNotice } from '../shared/output.js';
import { ownCommand } from '../../platform/invocation.js';
import { checkAgentConsent, checkJudgeConsent } from '../../planning/check-spending-consent.js';
import { checkCloudSandboxes, checkContainers, checkSandbox } from '../../planning/check-sandbox.js';
import { checkForHosts } from '../../planning/check-for-hosts.js';
import { checkHostedAgents, ignoredRuntimeWarnings } from '../../planning/check-hosted-agents.js';
import { findKeptWork, type KeptRuns } from '../../planning/find-kept-work.js';
import { nothingSelected } from '../../planning/nothing-selected.js';
import { placeholderWarnings } from '../../planning/placeholder-warnings.js';
import { exposedCheckWarnings } from '../../planning/exposed-checks.js';
import { resolveSweep, type ResolvedSweep, type SweepFlags } from '../../planning/resolve-sweep.js';
import { targetsOfSweep, notReusedWarnings } from '../../planning/not-reused.js';
import { selectScenarios, type SelectedScenario, type Selection } from '../../planning/select-scenarios.js';
import { printDryRun } from './print-dry-run.js';
import { toDecideOf, type ClearOptions } from './to-decide.js';
import { checkWritable, openProject, type Project } from '../../planning/project.js';
import { uncheckedWarnings } from '../../planning/unchecked-warnings.js';
import type { Session } from '../../client/session.js';
import { planSweep, startPlanned } from '../../client/start-planned.js';
import { uiPage } from '../../client/ui-page.js';
import { UsageError } from '../../lib/errors/usage-error.js';

/** Options of every verb that starts a sweep. */
export interface StartOptions extends SweepFlags, ClearOptions {
  results?: string;
  address?: string;
  envFile?: string;
  dryRun: boolean;
  detach: boolean;
  json: boolean;
  /** Check the work of earlier runs again, where only the checks have changed since. */
  regrade?: boolean;
  /** Print the gates of every run at the end, as text. */
  listGates?: boolean;
  /** Prints the result of the sweep; by default as text, or as JSON. */
  print?: (document: SweepDocument) => void;
}

export interface RunOptions extends Selection, StartOptions {
  passWithNoScenarios: boolean;
}

/** `run`: plans a sweep, starts it and follows it. Returns the exit code. */
export async function run(options: RunOptions): Promise<number> {
  if (options.detach && (process.env['CI'] ?? '') !== '') {
    throw new UsageError('detach_in_ci', '--detach cannot be used in CI: nothing would wait for the results');
  }
  const project = openProject(options.results);
  const selected = await selectScenarios(project, options);
  if (selected.length === 0) {
    if (options.passWithNoScenarios) return sayNothingRan(options.json);
    throw nothingSelected(project, options, '; use --pass-with-no-scenarios to exit 0 in this case');
  }
  return runSelected(project, selected, options);
}

/** Plans a sweep of these scenarios, starts it and follows it. Returns the exit code. */
export async function runSelected(
  project: Project,
  selected: SelectedScenario[],
  options: StartOptions,
): Promise<number> {
  const fromFile = readEnvFile(options.envFile);
  const environment = { ...process.env, ...fromFile };
  const toDecide = toDecideOf(project, selected, options);
  const resolved = await resolveAndCheck(project, selected, environment, {
    ...options,
    fromFile: Object.keys(fromFile),
    ...(toDecide === null ? {} : { toDecide }),
  });
  if (
    toDecide === null &&
    (options.regrade === true || resolved.cells.some(({ agent }) => agent !== 'mock'))
  ) {
    const kept = await findKeptWork(project.resultsPath, resolved);
    if (options.regrade === true) resolved.regrade = { runs: kept.runs, or_run: true };
    else printKeptWork(kept, resolved);
  }
  if (options.dryRun) return printDryRun(resolved, project, options.json);

  await printPlanWarnings(project, selected, resolved, options);
  return startAndFollow(project, resolved, environment, options);
}

/** Resolves a sweep and checks that it can run here. Writes nothing. */
export async function resolveAndCheck(
  project: Project,
  selected: SelectedScenario[],
  environment: NodeJS.Dict<string>,
  options: SweepFlags & { dryRun: boolean },
): Promise<ResolvedSweep> {
  const resolved = resolveSweep(project, selected, options);
  await checkHostedAgents(project, resolved);
  if (isMirror(project.resultsPath)) checkForHosts(project, resolved);
  else {
    if (resolved.on.length > 0)
      throw new UsageError(
        'not_shared',
        '--on selects hosts, but these results are not shared; see specs/how-to/many-machines.md',
      );
    await checkSandbox(project, resolved);
    await checkContainers(resolved);
    await checkCloudSandboxes(project, resolved, environment);
  }
  // a dry run costs nothing, so it needs no consent
  if (!options.dryRun) checkConsent(project, resolved);
  await checkWritable(project.resultsPath);
  if (options.live) printNotice('live: mocks are ignored');
  return resolved;
}

/** Warns about parts of the plan that may not be what the user expects. */
export async function printPlanWarnings(
  project: Project,
  selected: SelectedScenario[],
  resolved: ResolvedSweep,
  { judge }: Pick<SweepFlags, 'judge'>,
): Promise<void> {
  for (const warning of [
    ...placeholderWarnings(project),
    ...[...uncheckedWarnings(selected, !judge), ...exposedCheckWarnings(project, selected)].map(
      (one) => `warning: ${formatProblem(one)}`,
    ),
    ...ignoredRuntimeWarnings(resolved),
    ...(await notReusedWarnings(project, targetsOfSweep(resolved))),
  ])
    printNotice(warning);
}

/** Writes the plan of a sweep that has been checked, starts it and follows it. Returns the exit code. */
export async function startAndFollow(
  project: Project,
  resolved: ResolvedSweep,
  environment: NodeJS.Dict<string>,
  options: Pick<StartOptions, 'name' | 'detach' | 'json' | 'listGates' | 'print' | 'address'>,
  whenPlanned: (plan: Plan) => void = () => undefined,
): Promise<number> {
  const plan = await planSweep(project, resolved, options.name);
  whenPlanned(plan);
  const session = await openSessionFor(plan, project, options);
  try {
    const signals = options.detach ? null : catchSignals(() => reportInterrupted(plan.sweep, options.json));
    await startPlanned(session, plan, resolved, environment);
    if (signals !== null) {
      const { followToEnd } = await import('../shared/follow-to-end.js');
      const { printGates } = await import('../shared/print-gates.js');
      const { print } = options;
      const parts = { signals, ...(print === undefined ? {} : { print }) };
      const code = await followToEnd(session, plan, project.resultsPath, options.json, parts);
      if (options.listGates === true && !options.json) printGates(project.resultsPath, plan);
      return code;
    }
    const document = startedDocument(plan, project, uiPage(session.engine, sweepWorkflowId(plan.sweep)));
    if (options.json) printJson(document);
    else
      printNotice(
        `started ${plan.sweep}; follow it with ${ownCommand(`resume ${plan.sweep}`)}\n${document.ui_url ?? ''}`,
      );
    return 0;
  } finally {
    await session.close();
  }
}

/** Says that work is kept which only has to be checked again. The mock is as fast as checking. */
function printKeptWork({ otherChecks }: KeptRuns, { cells }: ResolvedSweep): void {
  const found = cells.filter(({ id, agent }) => agent !== 'mock' && otherChecks.has(id));
  if (found.length === 0) return;
  const names = [...new Set(found.map(scenarioLabel))].join(', ');
  printNotice(
    `only the checks of ${names} have changed: --regrade checks the work of ${found.length} earlier run${found.length === 1 ? '' : 's'} again instead of running agents`,
  );
}

/** Starts the engine, which may take minutes. If that fails or is interrupted, says how to start the sweep later. */
async function openSessionFor(
  plan: Plan,
  { resultsPath }: Project,
  options: Pick<StartOptions, 'json' | 'address'>,
): Promise<Session> {
  const message = `${plan.sweep} is planned but not started; start it with ${ownCommand(`resume ${plan.sweep}`)}`;
  const onSignal = (): void => {
    if (options.json) printJson(errorDocument('interrupted', message));
    printNotice(message);
    process.exit(130);
  };
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  try {
    const { openSession } = await import('../shared/session.js');
    return await openSession(resultsPath, printNotice, options);
  } catch (error) {
    printNotice(message);
    throw error;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

function checkConsent({ config }: Project, { cells, scenarios }: ResolvedSweep): void {
  for (const name of new Set(cells.map(({ agent }) => agent))) checkAgentConsent(config, name);
  for (const { effective } of scenarios) {
    const model = modelAsked(effective);
    if (model !== null) checkJudgeConsent(config, model, effective.asked === undefined);
  }
}

const startedDocument = (plan: Plan, { resultsPath }: Project, uiUrl: string | null): SweepDocument =>
  buildSweepDocument({
    sweep: plan.sweep,
    workflowId: sweepWorkflowId(plan.sweep),
    uiUrl,
    status: 'running',
    maxUsd: plan.max_usd,
    cells: plan.cells,
    untilClear: plan.until_clear,
    live: plan.live === true,
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
  else printNotice('no scenarios selected');
  return 0;
}
