import { beginSweep, type Session, type Signals } from '#client';
import { buildSweepDocument, type SweepDocument } from '#decide';
import { ownCommand } from '#host';
import { UsageError } from '#lib';
import {
  type Draft,
  draftOf,
  type DraftOptions,
  openProject,
  plan,
  type Planned,
  type ResolvedSweep,
  selectScenarios,
} from '#planning';
import { sweepWorkflowId } from '#protocol';
import type { Plan } from '#scenario';
import { uiPage } from '#sweeps';
import { readEnvFile } from '../shared/option-values.js';
import { errorDocument, printJson, printNotice } from '../shared/output.js';
import { catchSignals, reportInterrupted } from '../shared/signals.js';
import { printDryRun } from './print-dry-run.js';
import { finishedSweep, untilClearOf, type ClearOptions, withAlphaLeft } from './until-clear.js';

/** Options of every verb that starts a sweep. */
export interface StartOptions {
  results?: string;
  address?: string;
  dryRun?: boolean;
  detach: boolean;
  json: boolean;
  /** Print the gates of every run at the end, as text. */
  listGates?: boolean;
  /** Prints the result of the sweep; by default as text, or as JSON. */
  print?: (document: SweepDocument) => void;
}

/** Options of `run`, some of which other verbs that start sweeps have too. */
export interface RunOptions extends Omit<DraftOptions, 'untilClear' | 'variables'>, ClearOptions {
  envFile?: string;
}

/** `run`: plans a sweep, starts it and follows it. Returns the exit code. */
export async function run(options: RunOptions & StartOptions): Promise<number> {
  if (options.detach && (process.env['CI'] ?? '') !== '') {
    throw new UsageError('detach_in_ci', '--detach cannot be used in CI: nothing would wait for the results');
  }
  const draft = runDraft(options);
  const project = openProject(options.results);
  const selected = await selectScenarios(project, draft);
  if (selected.length === 0) return sayNothingRan(options.json);
  const planned = await withAlphaLeft(await plan(project, selected, draft, finishedSweep));
  return runPlanned(planned, options);
}

/**
 * The draft of a sweep whose earlier work may be checked again.
 * @throws UsageError for options that exclude each other
 */
export const runDraft = (options: RunOptions): Draft =>
  draftOf({
    ...options,
    untilClear: untilClearOf(options),
    regrade: options.regrade ?? false,
    variables: readEnvFile(options.envFile),
  });

/** Starts a sweep that has been planned and follows it, or prints it. Returns the exit code. */
export async function runPlanned({ sweep, notices }: Planned, options: StartOptions): Promise<number> {
  for (const notice of notices) printNotice(notice);
  if (options.dryRun !== true) return startAndFollow(sweep, options);
  return printDryRun(sweep, options.json);
}

/** Writes the plan of a sweep that has been checked, starts it and follows it. Returns the exit code. */
export async function startAndFollow(
  sweep: ResolvedSweep,
  options: StartOptions,
  whenPlanned: (plan: Plan) => void = () => undefined,
): Promise<number> {
  const { resultsPath } = sweep.project;
  const { address } = options;
  let signals = null as Signals | null;
  const { plan, session } = await beginSweep(sweep, {
    ...(address === undefined ? {} : { address }),
    report: printNotice,
    connecting: async (planned, open) => {
      whenPlanned(planned);
      const opened = await openFor(planned, open, options);
      signals = options.detach ? null : catchSignals(() => reportInterrupted(planned.sweep, options.json));
      return opened;
    },
  });
  try {
    if (signals !== null) {
      const { followToEnd } = await import('../shared/follow-to-end.js');
      const { printGates } = await import('../shared/print-sweep.js');
      const { print } = options;
      const parts = { signals, ...(print === undefined ? {} : { print }) };
      const code = await followToEnd(session, plan, resultsPath, options.json, parts);
      if (options.listGates === true && !options.json) printGates(resultsPath, plan);
      return code;
    }
    const document = startedDocument(plan, resultsPath, uiPage(session.engine, sweepWorkflowId(plan.sweep)));
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

/** Starts the engine, which may take minutes. If that fails or is interrupted, says how to start the sweep later. */
async function openFor(
  plan: Plan,
  open: () => Promise<Session>,
  { json }: Pick<StartOptions, 'json'>,
): Promise<Session> {
  const message = `${plan.sweep} is planned but not started; start it with ${ownCommand(`resume ${plan.sweep}`)}`;
  const onSignal = (): void => {
    if (json) printJson(errorDocument('interrupted', message));
    printNotice(message);
    process.exit(130);
  };
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  try {
    return await open();
  } catch (error) {
    printNotice(message);
    throw error;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

const startedDocument = (plan: Plan, resultsPath: string, uiUrl: string | null): SweepDocument =>
  buildSweepDocument({
    owner: plan.owner,
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
