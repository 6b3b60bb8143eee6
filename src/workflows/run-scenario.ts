import {
  ApplicationFailure,
  CancellationScope,
  continueAsNew,
  isCancellation,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { defined, type RunLimits, runLimitsIn, safeName } from '#lib/pure';
import { STEPS } from '#model/pure';
import { passedRun, type PlannedBuild, type RunInput, type RunPlan, type RunRef, type RunResult } from '#protocol';
import { carriedIn, proofIn } from './arguments.js';
import type { Histories } from './run/agent-loop.js';
import { runAgent, WAIT } from './run/agent-runs.js';
import { activities, AGENT_RETRY, FOR_MINUTES, LONG_STEP, STOPPING, within } from './run/options.js';
import { createPerformer, type Performer } from './run/perform.js';
import { performChecks, performSteps } from './run/steps.js';
import { createEndAnnouncer } from './announce-end.js';
import { waitParked } from './wait-for-provider.js';
import { attributesOf, summaryOf } from './ui.js';

/** One execution of a cell. Every step is a separate activity, visible by name and summary. */
export async function runScenario(input: RunInput): Promise<RunResult> {
  const { workflowId, startTime, firstExecutionRunId: firstRunId } = workflowInfo();
  const carried = carriedIn(input);
  const startedAt = carried?.startedAt ?? startTime.getTime();
  const { sweep, cell, fresh, lostHosts } = input;
  const run: RunRef = {
    sweep,
    cell,
    run: runName(input, startedAt),
    workflowId,
    firstRunId,
    proof: proofIn(input),
    ...defined({ fresh, lostHosts }),
  };
  const limits = runLimitsIn(input);
  const performer = createPerformer(input.sparse === true, limits);
  const { failures, perform, performEither } = performer;
  let reused: RunResult | null = null;
  let agentUsd: number | null = null;
  const waitForProvider = waitParked(input, performer.noting);
  const end = createEndAnnouncer(input);
  const histories: Histories = {
    next: carried?.next ?? null,
    goOn: (next) =>
      continueAsNew<typeof runScenario>({
        ...input,
        carried: { startedAt, next },
        ...(end.isAsked() ? { announcesEnd: true } : {}),
      }),
  };

  async function steps(): Promise<void> {
    const prepare = (): Promise<RunPlan | null> =>
      performEither(
        { step: STEPS.prepare, title: `prepare ${cell.scenario}`, ...LONG_STEP },
        ({ prepareWorkspace }, options) => prepareWorkspace.executeWithOptions(options, [run]),
      );
    let plan = await prepare();
    if (plan?.builds !== undefined) {
      await buildImages(performer, run, plan.builds);
      if (failures.length > 0) return;
      plan = await prepare();
    }
    if (plan === null || plan.unfit !== null) return;
    const { reuse } = plan;
    if (reuse !== undefined) {
      reused = await perform({ step: STEPS.reuse, title: `reuse the result of ${reuse}` }, (options) =>
        activities.reuseResult.executeWithOptions(options, [run, reuse]),
      );
      if (reused !== null || failures.length > 0) return;
    }
    const done = await performSteps(performer, run, plan, (turnLimits, turn) =>
      runAgent(performer, run, turnLimits, turn, waitForProvider, histories, (usd) => (agentUsd = usd)),
    );
    if (done !== null) await performChecks(performer, run, plan, done);
  }

  /**
   * Tells the current step to stop. It would otherwise learn of the cancel only at its next heartbeat, or never if its
   * worker is frozen or dead.
   */
  async function stopRun(): Promise<void> {
    const step = performer.current();
    if (step === null || step === WAIT) return;
    await CancellationScope.nonCancellable(() =>
      activities.stopRun.executeWithOptions({ ...STOPPING, summary: summaryOf('stop') }, [run]),
    );
  }
  let ended = false;
  CancellationScope.current()
    .cancelRequested.catch(() => (ended ? undefined : stopRun()))
    .catch(() => undefined); // the report step ends what is still running

  const whole = CancellationScope.current();
  let cancelled = false;
  try {
    await steps();
  } catch (error) {
    if (!isCancellation(error)) throw error;
    cancelled = true;
  } finally {
    ended = true;
  }
  return CancellationScope.nonCancellable(async () => {
    const report = { failures, cancelled, startedAt, endedAt: Date.now() };
    const result =
      reused ??
      (await performEither(
        {
          step: STEPS.report,
          title: 'write the report',
          ...LONG_STEP,
          ...(cancelled ? { retry: FOR_MINUTES } : {}),
        },
        ({ writeReport }, options) =>
          untilCancelled(whole, limits, writeReport.executeWithOptions(options, [run, report])),
      ));
    await performEither({ step: STEPS.cleanUp, title: 'clean up', retry: FOR_MINUTES }, ({ cleanUp }, options) =>
      cleanUp.executeWithOptions(options, [run]),
    );
    const lost: RunResult = {
      outcome: cancelled ? 'cancelled' : 'error',
      message: `the report could not be written: ${failures.find(({ step }) => step === STEPS.report)?.message ?? 'unknown'}`,
      costUsd: null,
    };
    performer.conclude(result ?? lost);
    upsertSearchAttributes(attributesOf(result ?? lost));
    await end.announce();
    if (result === null) {
      const spent = agentUsd === null ? {} : { knownUsd: agentUsd };
      throw ApplicationFailure.nonRetryable(lost.message, 'ReportNotWritten', spent);
    }
    return passedRun(result);
  });
}

/**
 * Waits for the report. If the run is cancelled meanwhile, the report has `cancelledReportMs` more: it may be waiting
 * for a full disk, and a cancel must not wait for that. If the run was cancelled before, only the retry policy limits
 * the wait.
 */
async function untilCancelled<R>(
  whole: CancellationScope,
  { cancelledReportMs }: RunLimits,
  doing: Promise<R>,
): Promise<R> {
  if (whole.consideredCancelled) return doing;
  const cancelled = whole.cancelRequested.catch(async (): Promise<never> => {
    await sleep(cancelledReportMs);
    throw ApplicationFailure.nonRetryable('the run was cancelled while its report waited to be written');
  });
  cancelled.catch(() => undefined);
  return Promise.race([doing, cancelled]);
}

/**
 * Name of the run's folder: time, agent, model, scenario, and enough of Temporal's run id to be unique: that of the
 * first execution, so that a reset continues in the folder.
 */
function runName({ cell }: RunInput, startedAt: number): string {
  const { firstExecutionRunId } = workflowInfo();
  const when = new Date(startedAt).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return [when, cell.agent, cell.model, cell.scenario, firstExecutionRunId.slice(-8)].map(safeName).join('-');
}

/** Builds the images of a run, one after the other, as long as they can be built. */
async function buildImages(
  { perform, failures }: Performer,
  run: RunRef,
  builds: readonly PlannedBuild[],
): Promise<void> {
  for (const { step, timeoutSecs } of builds) {
    const planned = { step, title: `build the ${step}`, ...within(timeoutSecs), retry: AGENT_RETRY };
    const complaint = (lacking: string | null): string | null => lacking;
    const lacking = await perform({ ...planned, complaint }, (options) =>
      activities.buildImage.executeWithOptions(options, [run, step]),
    );
    if (lacking !== null || failures.length > 0) return;
  }
}
