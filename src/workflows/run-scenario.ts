import {
  ActivityCancellationType,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  isCancellation,
  patched,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
  type ActivityOptions,
  type LocalActivityOptions,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { safeName } from '../lib/safe-name.js';
import { whyNotJudged } from '../results/why-not-judged.js';
import { patience, runsAlike, type Again } from './patience.js';
import {
  STEPS,
  type AgentBrief,
  type RunCard,
  type RunInput,
  type RunRef,
  type RunResult,
  type StepFailure,
} from './protocol.js';
import { rootMessage } from './root-message.js';
import { tellsEnd } from './tell-end.js';
import { parksUntilWoken, waitsForProvider } from './wait-for-provider.js';
import { attributesOf, runDetails, summaryOf, type StepLine } from './ui.js';

/**
 * Failures of the thing under test come back as data. What throws is infrastructure. A full disk is waited for, however long;
 * the activity gives up what fails by itself again and again (step/patient.ts), and the run goes on to its report with the
 * step marked as failed.
 */
const INFRASTRUCTURE = {
  initialInterval: '1 second',
  backoffCoefficient: 2,
  maximumInterval: '5 minutes',
} as const;

/** For a run that is being cancelled, and for what is no part of the result: these wait for a disk for minutes only. */
const FOR_MINUTES = { ...INFRASTRUCTURE, maximumInterval: '30 seconds', maximumAttempts: 8 } as const;
/** The death of its worker, however often, must not keep an agent waiting. */
const AGENT_RETRY = { ...INFRASTRUCTURE, maximumInterval: '30 seconds' } as const;

/** Steps wait for real processes, so a cancel waits until these are gone. */
const STEP = {
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: INFRASTRUCTURE,
} as const;
const GRACE_SECS = 60;
const CANCELLED_REPORT_MS = 15_000;
/** Whoever limits themselves is given some grace, and ends first. */
const within = (secs: number): { startToCloseTimeout: number } => ({
  startToCloseTimeout: (secs + GRACE_SECS) * 1000,
});
/** Tells what is under way to stop, and waits until the agent has; the run waits only for its step. */
const STOPPING = {
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '60 seconds',
  retry: { ...INFRASTRUCTURE, maximumAttempts: 3 },
} as const;
/** The step in which nothing runs. */
const WAIT = 'wait';
/** For copies of what may be large: the fixture, the workspace. */
const LONG_STEP = { startToCloseTimeout: '1 hour' } as const;

type StepOptions = ActivityOptions & LocalActivityOptions;

/** A step by its name, as people see it, and with what it is performed other than most are. */
interface Planned extends Pick<StepOptions, 'startToCloseTimeout' | 'retry'> {
  step: string;
  title: string;
}

const activities = proxyActivities<Activities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '60 seconds', // four heartbeats of a step
  retry: INFRASTRUCTURE,
});
/**
 * What is over in moments is performed within a workflow task, without a trip to the server for each. Should the
 * worker die meanwhile, the task is given to the next one after its timeout, as any workflow task.
 */
const inProcess = proxyLocalActivities<Activities>({ startToCloseTimeout: '10 minutes' });
/** Tried once in process: nobody sees why it fails, before it has failed for good. The server shows it. */
const ONCE = { maximumAttempts: 1 } as const;

/** One execution of a cell: every step is an activity of its own, visible by name and summary. */
export async function runScenario(input: RunInput): Promise<RunResult> {
  const { workflowId, startTime, firstExecutionRunId: firstRunId } = workflowInfo();
  const { sweep, cell, proof } = input;
  const run: RunRef = {
    ...{ sweep, cell, run: runName(input), workflowId, firstRunId },
    ...(proof === undefined ? {} : { proof }),
  };
  const failures: StepFailure[] = [];
  const lines: StepLine[] = [];
  let reused: RunResult | null = null;
  let agentUsd: number | null = null;
  const waitForProvider = input.parks === true ? parksUntilWoken(input) : waitsForProvider();
  const announceEnd = tellsEnd(cell.id);

  /** Performs one step; null when it failed for good. Cancellation passes through. */
  async function perform<R>(
    { step, title, ...own }: Planned,
    doing: (options: StepOptions) => Promise<R>,
  ): Promise<R | null> {
    const summary = summaryOf(title);
    const line: StepLine = { step, summary, status: 'running' };
    lines.push(line);
    setCurrentDetails(runDetails(lines));
    try {
      const result = await doing({ ...STEP, ...own, summary });
      line.status = 'done';
      return result;
    } catch (error) {
      line.status = 'failed';
      if (isCancellation(error)) throw error;
      failures.push({ step, message: rootMessage(error) });
      // A cancelled step may also end by what broke on its way: its worker died, its agent could not be killed.
      if (CancellationScope.current().consideredCancelled)
        throw new CancelledFailure('the run was cancelled');
      return null;
    } finally {
      setCurrentDetails(runDetails(lines));
    }
  }
  /**
   * Performs a step within the workflow task, or as an activity where it is too much for that, which only the step can
   * tell, or where it has failed.
   */
  const performEither = <R>(
    planned: Planned,
    call: (steps: typeof inProcess | typeof activities, options: StepOptions) => Promise<R | null>,
    isLocal = input.inProcess === true,
  ): Promise<R | null> =>
    perform(planned, async (options) => {
      const done = isLocal ? await attempt(() => call(inProcess, { ...options, retry: ONCE })) : null;
      return done ?? call(activities, options);
    });

  /** Again for as long as its provider is worth waiting for: a limit or an outage says nothing of the tool under test. */
  async function runAgent(card: RunCard): Promise<AgentBrief | null> {
    const reasons: Again['why'][] = [];
    for (let nth = 1; ; nth++) {
      const title = `agent ${cell.agent} ${cell.model}${nth === 1 ? '' : `, run ${nth}`}`;
      const planned = {
        step: STEPS.agent(nth),
        title,
        // An agent that was lost is started again in a fresh workspace, whose setup commands take time of their own.
        ...within(card.agentTimeoutSecs + (card.rebuildSecs ?? 0)),
        retry: AGENT_RETRY,
      };
      const brief = await perform(planned, (options) =>
        activities.runAgent.executeWithOptions(options, nth === 1 ? [run] : [run, nth]),
      );
      agentUsd = brief?.costUsd ?? brief?.knownUsd ?? agentUsd;
      if (brief?.again === undefined) return brief;
      reasons.push(brief.again.why);
      const alike = runsAlike(reasons);
      const runs = alike === nth || !patched('patience-by-reason') ? nth : alike;
      const wait = patience(brief.again, runs, Date.now());
      if (wait === null) return brief;
      const until = new Date(Date.now() + wait).toISOString();
      await perform({ step: WAIT, title: `until ${until}: ${brief.message}` }, () =>
        waitForProvider(brief, wait, nth),
      );
    }
  }

  async function steps(): Promise<void> {
    const card = await performEither(
      { step: STEPS.prepare, title: `prepare ${cell.scenario}`, ...LONG_STEP },
      ({ prepareWorkspace }, options) => prepareWorkspace.executeWithOptions(options, [run]),
    );
    if (card === null || card.unfit !== null) return;
    const { reuse } = card;
    if (reuse !== undefined) {
      reused = await perform({ step: STEPS.reuse, title: `take the result of ${reuse}` }, (options) =>
        activities.reuseResult.executeWithOptions(options, [run, reuse]),
      );
      if (reused !== null || failures.length > 0) return;
    }
    for (const [index, script] of (card.context ?? []).entries()) {
      const title = `context ${index + 1}/${card.context?.length ?? 0} ${script.subject}`;
      const planned = { step: STEPS.context(index), title, ...within(script.timeoutSecs) };
      const given = await perform(planned, (options) =>
        activities.runContextScript.executeWithOptions(options, [run, index]),
      );
      if (given === null || given.unfit !== null) return;
    }
    const agent = await runAgent(card);
    if (agent?.ending === 'cancelled') throw new CancelledFailure('the run was cancelled');
    if (agent === null || agent.ending === 'unable') return;
    for (const [index, post] of card.posts.entries()) {
      const title = `post script ${index + 1}/${card.posts.length} ${post.subject}`;
      await perform({ step: STEPS.post(index), title, ...within(post.timeoutSecs) }, (options) =>
        activities.runPostScript.executeWithOptions(options, [run, index]),
      );
    }
    let notPassed = 0;
    for (const [index, gate] of card.gates.entries()) {
      const title = `gate ${index + 1}/${card.gates.length} ${gate.type} ${gate.subject}`;
      const status = await performEither(
        { step: STEPS.gate(index), title, ...within(gate.timeoutSecs) },
        ({ checkGate }, options) => checkGate.executeWithOptions(options, [run, index]),
        gate.inProcess === true,
      );
      if (status !== 'pass') notPassed += 1;
    }
    for (const [index, evaluator] of card.evaluators.entries()) {
      const title = `evaluator ${index + 1}/${card.evaluators.length} ${evaluator.name}`;
      await perform({ step: STEPS.evaluator(index), title, ...within(evaluator.timeoutSecs) }, (options) =>
        activities.runEvaluator.executeWithOptions(options, [run, index]),
      );
    }
    const { judge } = card;
    if (judge === undefined) return;
    const { always, timeoutSecs } = judge;
    const { completed } = agent;
    if (whyNotJudged({ always, gates: card.gates.length, notPassed, completed }) !== null) return;
    const title = `judge ${judge.model} ${judge.rubric}`;
    await perform({ step: STEPS.judge, title, ...within(timeoutSecs) }, (options) =>
      activities.judgeRun.executeWithOptions(options, [run]),
    );
  }

  /** The step under way would learn of a cancel by its next heartbeat, and not at all where its worker is frozen or dead. */
  async function stopRun(): Promise<void> {
    const last = lines.at(-1);
    if (last?.status !== 'running' || last.step === WAIT || !patched('stop-run')) return;
    await CancellationScope.nonCancellable(() =>
      activities.stopRun.executeWithOptions({ ...STOPPING, summary: summaryOf('stop') }, [run]),
    );
  }
  let ended = false;
  CancellationScope.current()
    .cancelRequested.catch(() => (ended ? undefined : stopRun()))
    .catch(() => undefined); // the report ends what is left

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
    const report = { failures, cancelled, startedAt: startTime.getTime(), endedAt: Date.now() };
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
          untilCancelled(whole, writeReport.executeWithOptions(options, [run, report])),
      ));
    await performEither(
      { step: STEPS.cleanUp, title: 'clean up', retry: FOR_MINUTES },
      ({ cleanUp }, options) => cleanUp.executeWithOptions(options, [run]),
    );
    const lost: RunResult = {
      outcome: cancelled ? 'cancelled' : 'error',
      message: `the report could not be written: ${failures.find(({ step }) => step === STEPS.report)?.message ?? 'unknown'}`,
      costUsd: null,
    };
    upsertSearchAttributes(attributesOf(result ?? lost));
    await announceEnd();
    if (result === null) {
      const spent = agentUsd === null ? {} : { knownUsd: agentUsd };
      throw ApplicationFailure.nonRetryable(lost.message, 'ReportNotWritten', spent);
    }
    return result;
  });
}

/** Whoever cancels a run does not wait for the disk that its report waits for; one that is being written has some time. */
async function untilCancelled<R>(whole: CancellationScope, doing: Promise<R>): Promise<R> {
  if (whole.consideredCancelled) return doing;
  const cancelled = whole.cancelRequested.catch(async (): Promise<never> => {
    // In histories of older builds the report was waited for.
    if (!patched('report-cancelled')) return new Promise(() => undefined);
    await sleep(CANCELLED_REPORT_MS);
    throw ApplicationFailure.nonRetryable('the run was cancelled while its report waited to be written');
  });
  cancelled.catch(() => undefined);
  return Promise.race([doing, cancelled]);
}

/** What a step gives, null where it fails. Cancellation passes through, as do failures in histories of older builds. */
async function attempt<R>(doing: () => Promise<R>): Promise<R | null> {
  try {
    return await doing();
  } catch (error) {
    if (isCancellation(error) || !patched('failed-in-process')) throw error;
    return null;
  }
}

/** Name of the run's folder: when, who, what, and enough of Temporal's run id to be unique. */
function runName({ cell, keepsFolder }: RunInput): string {
  const { startTime, runId, firstExecutionRunId } = workflowInfo();
  const when = startTime.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const id = keepsFolder === true ? firstExecutionRunId : runId;
  return [when, cell.agent, cell.model, cell.scenario, id.slice(-8)].map(safeName).join('-');
}
