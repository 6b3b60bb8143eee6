import type { Client } from '@temporalio/client';
import { optionalTsToMs } from '@temporalio/common/lib/time.js';
import type { Activities } from '#activities';
import { knownAgents } from '#agents';
import { failureMessage, valuesOf } from '#engine';
import type { ResultLine } from '#model';
import { type AgentHeartbeat, type AgentProgress, QUERIES, type SweepProgress, sweepWorkflowId } from '#protocol';
import type { Wait } from '#reports';
import type { Plan } from '#scenario';
import type { Session } from '../session.js';

export interface ActiveStep {
  step: string;
  note: string | null;
  /** The progress of the agent; null if this is not known, or the step is another one. */
  agent: AgentProgress | null;
  /** When the attempt of the step began, ms since the epoch; null if unknown. */
  startedAt: number | null;
}

/** Names of activities for display. */
const STEP_NAMES: Record<keyof Activities, string> = {
  loadCells: 'loading cells',
  decideNext: 'looking at the results',
  readMonth: 'reading the month',
  findEndedRuns: 'looking up runs',
  finishSweep: 'finishing',
  placeCell: 'finding a host',
  readSigns: 'looking for hosts',
  endLostRuns: 'ending lost runs',
  forgetLimits: 'forgetting limits',
  reuseResult: 'reusing a result',
  buildImage: 'building an image',
  prepareWorkspace: 'preparing',
  runContextScript: 'context script',
  runAgent: 'agent',
  askModel: 'asking the model',
  callTool: 'calling a tool',
  endConversation: 'deciding about the conversation',
  simulateUser: 'simulated user',
  runPostScript: 'post script',
  checkGate: 'gate',
  askGate: 'gate',
  runEvaluator: 'evaluator',
  judgeRun: 'judge',
  stopRun: 'stopping',
  writeReport: 'report',
  cleanUp: 'cleaning up',
  planScheduled: 'planning',
  reportScheduled: 'report',
  sendWebhook: 'sending a webhook',
  verifyOrder: 'checking an order',
  verifyParked: 'waiting',
  verifyWake: 'waiting',
};

/** Shown for a run that waits for something, or whose next step is about to begin. */
export const BETWEEN_STEPS = 'between steps';

/** Short, so that a server that hangs does not freeze the view. */
const ANSWER_MS = 2000;

/** Falls back to the type, because a worker of another build may have unknown steps. */
const nameOf = (type: string): string =>
  Object.hasOwn(STEP_NAMES, type) ? STEP_NAMES[type as keyof Activities] : type;

/** Returns null for anything else that a worker of another build may have sent. */
function agentIn([details]: readonly unknown[]): AgentProgress | null {
  const { agent } = (details ?? {}) as AgentHeartbeat;
  if (typeof agent?.events !== 'number') return null;
  return { ...agent, doing: typeof agent.doing === 'string' ? agent.doing : null };
}

/** Returns the current step of a run. Asks the server rather than a worker, so it works while no worker is running. */
export async function activeStep(client: Client, workflowId: string): Promise<ActiveStep> {
  try {
    const { raw } = await client.withDeadline(Date.now() + ANSWER_MS, () =>
      client.workflow.getHandle(workflowId).describe(),
    );
    const pending = raw.pendingActivities?.[0];
    const type = pending?.activityType?.name;
    if (type === undefined || type === null) return { step: BETWEEN_STEPS, note: null, agent: null, startedAt: null };
    const attempt = pending?.attempt ?? 1;
    const reason = await failureMessage(client, pending?.lastFailure);
    const note = attempt > 1 ? `attempt ${attempt}${reason === null ? '' : `: ${reason}`}` : null;
    return {
      step: nameOf(type),
      note,
      agent: agentIn(await valuesOf(client, pending?.heartbeatDetails?.payloads)),
      startedAt: optionalTsToMs(pending?.lastStartedTime) ?? null,
    };
  } catch {
    return { step: 'starting', note: null, agent: null, startedAt: null };
  }
}

/** Asks the workflow of a sweep for its progress. Returns null if no worker answers. */
export const queryProgress = ({ client }: Pick<Session, 'client'>, workflowId: string): Promise<SweepProgress | null> =>
  client
    .withDeadline(Date.now() + ANSWER_MS, () =>
      client.workflow.getHandle(workflowId).query<SweepProgress>(QUERIES.progress),
    )
    .catch(() => null);

/**
 * True if this result of the cell belongs to the run: then the run is over, even if the sweep has not noticed it yet.
 */
export const hasRunEnded = (
  { since }: Pick<SweepProgress['active'][number], 'since'>,
  result: Pick<ResultLine, 'timestamp'> | undefined,
): boolean => result !== undefined && Date.parse(result.timestamp) >= since;

/** The runs that are parked. */
export const parkedIn = ({ parked = [] }: SweepProgress): NonNullable<SweepProgress['parked']> => parked;

/** The providers that a sweep waits for, each with the latest time until which it waits. */
export function waitsOf(progress: SweepProgress): Wait[] {
  const waits = new Map<string | undefined, Wait>();
  for (const wait of [...(progress.limits ?? []), ...parkedIn(progress)])
    if (wait.until > (waits.get(wait.provider)?.until ?? 0))
      waits.set(wait.provider, {
        until: wait.until,
        ...(wait.provider === undefined ? {} : { provider: wait.provider }),
        ...('message' in wait ? { message: wait.message } : {}),
      });
  return [...waits.values()];
}

/** Returns a function that finds the limit that a cell's run waits for between steps, or null. */
export function providerLimitsOf(plan: Plan): (progress: SweepProgress, cell: string) => Wait | null {
  const agents = knownAgents(plan.agents);
  const providers = new Map(plan.cells.map(({ id, agent, model }) => [id, agents.get(agent)?.provider(model) ?? null]));
  return ({ limits = [] }, cell) => limits.find(({ provider }) => provider === providers.get(cell)) ?? null;
}

/** The actions that have failed for minutes and are retried. */
export const troublesOf = ({ troubles = [] }: SweepProgress): string[] =>
  troubles.map(({ what, message }) => `cannot ${what}, and tries again: ${message}`);

/**
 * Asks what a sweep, and the run with the workflow id `run`, cannot do at present. Empty if there is nothing, or no
 * worker answers.
 */
export async function queryTroubles(session: Pick<Session, 'client'>, sweep: string, run?: string): Promise<string[]> {
  const [progress, active] = await Promise.all([
    queryProgress(session, sweepWorkflowId(sweep)),
    run === undefined ? null : activeStep(session.client, run),
  ]);
  return [
    ...(progress === null ? [] : troublesOf(progress)),
    ...(active === null || active.note === null ? [] : [`${active.step}: ${active.note}`]),
  ];
}
