import { ApplicationFailure } from '@temporalio/common';
import { containmentIn, MachineGone } from '#environments';
import { proveSignal } from '#host';
import { defined, LIMITS, tooLongArgument } from '#lib';
import { AgentRecord, redactFields, STEPS } from '#model';
import { type AgentSummary, type RunRef, type TurnRef, waitNumber } from '#protocol';
import { planLaunch, programIn } from './agent/launch.js';
import { composeStart } from './loop/compose-start.js';
import { endServers } from './loop/servers.js';
import { agentOutputs } from './agent/outputs.js';
import { type AgentStep, notStarted, readAgentSteps } from './agent/agent-step.js';
import { diskFullReason } from './agent/disk-full.js';
import { MAX_LOST, superviseToEnd, type Supervision } from './agent/supervise-agent.js';
import { watchOutput } from './agent/watch-output.js';
import { rebuildWorkspace } from './agent/commands-before.js';
import { heldBack, noteLimit } from './agent/held-back.js';
import { earlierAttempts, recordAttempt } from './agent/attempts.js';
import { summarizeOutput } from './agent/summarize-output.js';
import { withNewLogin } from './run/secrets.js';
import type { Prepared } from './prepare/build-workspace.js';
import { filesAfter } from './commands/files-after.js';
import { heartbeating } from './step/heartbeat.js';
import { noteWait } from './step/open-runs.js';
import { NO_SLOT } from './step/retry-policy.js';
import { readStep, runStepOnce } from './step/run-step-once.js';
import type { Deps } from './step/deps.js';
import { loadWithAccess } from './run/load-run.js';
import type { LoadedRun } from './run/context.js';

/**
 * Performs a turn: runs the agent, or adopts one that an earlier attempt has started, and summarizes its output of all
 * turns until now. `nth` > 1: the agent is run again because its provider did not serve it before; it resumes its
 * session or begins afresh. Without `turn`, it is the first one.
 */
export const runAgent =
  (deps: Deps) =>
  async (run: RunRef, nth = 1, turn?: TurnRef): Promise<AgentSummary> => {
    const context = await loadWithAccess(deps, run, { turn });
    keepSlot(deps, run);
    if (nth > 1) noteWait(deps, run, null);
    const name = STEPS.agent(nth, context.turn.number);
    const noLongerWorks = deps.metrics?.agentWorks(run.cell);
    const step = await runStepOnce<AgentStep>(context, name, (fence) =>
      recordAttempt(
        context,
        name,
        async () =>
          (await heldBack(context, nth)) ??
          noteLimit(
            context,
            await heartbeating((signal, onProgress) => {
              const { exitMs } = deps.limits ?? LIMITS;
              return perform(deps, context, nth, {
                fence,
                signal,
                plan: (start, session) => planLaunch(context, start, session),
                rebuild: () => rebuildWorkspace(deps, context, fence, signal),
                watch: (started, over, stop) =>
                  watchOutput(context, started, over, { fence, stop, exitMs, onProgress }),
              });
            }),
          ),
      ),
    ).finally(noLongerWorks);
    const { ending, completed, message, cost_usd, cost_usd_at_least } = step.record;
    const again = waitFor(step.again);
    const provider = context.agent.provider(run.cell.model);
    if (again !== null) {
      // While the run waits for its provider, another one can use its slot.
      deps.host?.slots.release(run.workflowId);
      noteWait(deps, run, {
        waiting: { why: again.why, until: again.at, ...defined({ provider }) },
        reason: `${provider ?? 'its provider'}: ${message}`,
      });
    }
    return {
      ending,
      completed,
      message,
      costUsd: cost_usd,
      ...defined({ knownUsd: cost_usd_at_least }),
      ...(again === null ? {} : { again: { ...again, ...(step.held === true ? { held: true } : {}) } }),
      ...defined({ provider, account: context.account }),
      ...(again === null
        ? {}
        : {
            proof: proveSignal(context.originKey, {
              workflowId: run.workflowId,
              kind: 'parked',
              nth: waitNumber(nth, context.turn.number),
            }),
          }),
    };
  };

/** Returns what the run has to wait for before the agent is run again; null if there is nothing. */
function waitFor(again: AgentStep['again']): { why: 'busy' | 'limit'; at: number | null } | null {
  return again == null || again.why === 'session' || again.why === 'killed' ? null : { why: again.why, at: again.at };
}

/** A run that has waited for its provider takes a slot of its host again. */
function keepSlot({ host }: Deps, { workflowId }: RunRef): void {
  if (host === undefined || host.slots.takeAgain(workflowId)) return;
  throw ApplicationFailure.create({
    type: NO_SLOT,
    message: `waiting for a free slot of ${host.name}`,
    nextRetryDelay: '2 seconds',
  });
}

async function perform(
  deps: Deps,
  context: LoadedRun,
  nth: number,
  doing: Omit<Supervision, 'context' | 'history' | 'gone'>,
): Promise<AgentStep> {
  const prepared = await readStep<Prepared>(context, STEPS.prepare);
  if (prepared === null) throw ApplicationFailure.nonRetryable('the workspace was not prepared', 'StepOrder');
  const { isLoop } = context.agent;
  const planned =
    isLoop === true
      ? null
      : await doing.plan(1, null).catch((error: unknown) => {
          // The agent is lost with its machine. Its program is looked up again in the next one.
          if (error instanceof MachineGone) return null;
          throw error;
        });
  if (planned?.program === null) return notStarted(context, `'${programIn(planned.launch)}' was not found; install it`);
  const gone = isLoop !== true && planned === null;
  const last = (await readAgentSteps(context)).at(-1)?.result ?? null;
  if (nth > 1 && last?.again == null)
    throw ApplicationFailure.nonRetryable('there is no reason to run the agent again', 'StepOrder');
  const before = last?.record ?? null;
  const history = [
    ...(before?.history ?? []),
    ...(nth === 1 || before === null ? [] : [`agent run ${nth - 1} ended: ${before.message}`]),
    ...(await earlierAttempts(context, STEPS.agent(nth, context.turn.number))),
  ];
  try {
    const first = (before?.starts ?? 0) + 1;
    if (isLoop === true) {
      await endServers(context);
      await composeStart(context, nth, first);
    }
    const summary = await runAndSummarize({ ...doing, context, history, gone }, prepared.result, first);
    const version = prepared.result.agent_version ?? null;
    const containment = await containmentIn(context.handle);
    const login = context.agent.login !== null;
    const spoiled = await diskFullReason(context, summary.record.starts);
    return {
      ...summary,
      record: { ...summary.record, version, containment, login, history },
      ...defined({ spoiled }),
      ...(await filesAfter(deps, context)),
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'E2BIG') throw error;
    const isPrompt = (planned?.launch.argv ?? []).some((argument) => tooLongArgument(argument, '') !== null);
    return notStarted(
      context,
      isPrompt
        ? 'the prompt is too long for an argument; use prompt = "stdin" or "file"'
        : "its environment variables are too large for the system; put long values of target.env or the agent's env into files",
    );
  }
}

/**
 * Runs the agent to its end and summarizes its output. If the agent does not find the session to resume, starts it
 * again with a new session. If it was killed from outside, starts it again as if it had been lost.
 */
async function runAndSummarize(supervision: Supervision, { setup }: Prepared, first: number): Promise<AgentStep> {
  const { context, fence, history } = supervision;
  let start = await superviseToEnd(supervision, first);
  for (;;) {
    await fence.check();
    const outputs = await agentOutputs(context, start);
    const now = await withNewLogin(context);
    const summary = await summarizeOutput(now, setup, outputs);
    const why = summary.again?.why;
    if (why === 'killed' && start - first + 1 < MAX_LOST) {
      history.push(`start ${start} of the agent ended: ${summary.record.message}`);
      start = await superviseToEnd(supervision, start + 1);
    } else if (why === 'session' && outputs.at(-1)?.resumed === true) {
      history.push(`start ${start} of the agent could not resume its session`);
      start = await superviseToEnd(supervision, start + 1, true);
    } else return { ...summary, record: redactFields(summary.record, AgentRecord, now.redact) };
  }
}
