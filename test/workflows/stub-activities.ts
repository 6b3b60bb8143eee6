import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { findEndedRuns } from '../../src/activities/find-ended-runs.js';
import type { Activities } from '../../src/activities/create-activities.js';
import type { Cell } from '../../src/model/records/cell.js';
import type { AgentSummary, RunPlan, PlannedStep } from '../../src/protocol/index.js';
import { isOwnServer } from '../activities/in-activity.js';

/** An attempt of an activity. */
interface Call {
  activity: keyof Activities;
  args: unknown[];
  attempt: number;
}

export interface Stubs {
  activities: Activities;
  /** In the order they began. */
  calls: Call[];
  /** The arguments of the calls of an activity. */
  argsOf: <K extends keyof Activities>(activity: K) => Parameters<Activities[K]>[];
}

export const brief = (more: Partial<AgentSummary> = {}): AgentSummary => ({
  ending: 'done',
  completed: true,
  message: 'done',
  costUsd: 0.25,
  ...more,
});

export const conversation = (more: Partial<Extract<PlannedStep, { kind: 'conversation' }>> = {}): PlannedStep => ({
  kind: 'conversation',
  subject: 'help',
  timeoutSecs: 30,
  totalSecs: 60,
  rebuildSecs: 0,
  askSecs: 60,
  endAsks: false,
  ...more,
});

export const agentStep = (timeoutSecs = 60, rebuildSecs = 0): PlannedStep => ({
  kind: 'agent',
  timeoutSecs,
  rebuildSecs,
});
export const script = (subject: string, timeoutSecs = 30): PlannedStep => ({
  kind: 'script',
  subject,
  timeoutSecs,
});
export const command = (subject: string, timeoutSecs = 30): PlannedStep => ({
  kind: 'command',
  subject,
  timeoutSecs,
});

export const runPlan = (more: Partial<RunPlan> = {}): RunPlan => ({
  unfit: null,
  steps: [agentStep()],
  gates: [],
  evaluators: [],
  ...more,
});

export const gate = (subject: string, type = 'file_exists') => ({
  type,
  subject,
  timeoutSecs: 30,
  inProcess: false,
});
export const judge = (more: Partial<NonNullable<RunPlan['judge']>> = {}) => ({
  model: 'house/small',
  rubric: 'rubric.yaml',
  timeoutSecs: 300,
  always: false,
  ...more,
});
export const evaluator = (name: string) => ({ name, timeoutSecs: 30 });

/** A run with two of each kind of step. */
export const FULL = runPlan({
  steps: [agentStep(), command('make'), command('make docs')],
  gates: [gate('notes.md'), gate('notes.md', 'file_contains')],
  evaluators: [evaluator('size'), evaluator('style')],
});

export const NO_CAPS = { agents: {}, models: {} };

export const cell = (repetition = 1, more: Partial<Cell> = {}): Cell => ({
  id: `notes/mock/default/default/${repetition}`,
  scenario: 'notes',
  agent: 'mock',
  model: 'default',
  variant: 'default',
  repetition,
  ...more,
});
export const cellsUpTo = (count: number): Cell[] => Array.from({ length: count }, (_, index) => cell(index + 1));

/** Steps that are performed within a workflow task, unless they report that they take longer. */
const QUICK: ReadonlySet<string> = new Set<keyof Activities>([
  ...(['prepareWorkspace', 'endConversation', 'writeReport', 'cleanUp'] as const),
]);

/**
 * Activities that do nothing and succeed, unless `overrides` replaces them; every attempt is recorded. Unless they are
 * `quick`, all are performed through the server.
 */
export function stubActivities(overrides: Partial<Activities> = {}, { quick = false } = {}): Stubs {
  const calls: Call[] = [];
  const quiet: Activities = {
    loadCells: () => Promise.resolve({ cells: [], total: 0 }),
    decideNext: () => Promise.reject(new Error('nothing to decide')),
    readMonth: () => Promise.resolve({ name: '2026-11', spentUsd: 0 }),
    findEndedRuns: findEndedRuns({ isOwnServer }),
    finishSweep: () => Promise.resolve(),
    placeCell: () => Promise.reject(new Error('no hosts')),
    readSigns: ({ hosts }) => Promise.resolve(Object.fromEntries(hosts.map((host) => [host, null]))),
    endLostRuns: () => Promise.resolve([]),
    forgetLimits: () => Promise.resolve(),
    buildImage: () => Promise.resolve(null),
    prepareWorkspace: () => Promise.resolve(runPlan()),
    runContextScript: () => Promise.resolve({ unfit: null }),
    runAgent: () => Promise.resolve(brief()),
    askModel: () => Promise.resolve({ calls: 0, isOver: true }),
    callTool: () => Promise.resolve(true),
    endConversation: () => Promise.resolve({ reason: 'max_turns_reached', workedSecs: 1 }),
    simulateUser: () => Promise.resolve(true),
    runPostScript: () => Promise.resolve(),
    checkGate: () => Promise.resolve('pass'),
    askGate: () => Promise.resolve('pass'),
    runEvaluator: () => Promise.resolve(),
    judgeRun: () => Promise.resolve({ score: 0.9, passed: true }),
    stopRun: () => Promise.resolve(),
    reuseResult: (_run, from) =>
      Promise.resolve({ outcome: 'pass', message: `as ${from}`, costUsd: null, cached: true }),
    writeReport: (_run, { cancelled }) =>
      Promise.resolve({
        outcome: cancelled ? 'cancelled' : 'pass',
        message: 'all gates passed',
        costUsd: 0.25,
      }),
    cleanUp: () => Promise.resolve(true),
    planScheduled: () => Promise.resolve({ firing: '20261124-030000', sweep: null, title: '' }),
    reportScheduled: () => Promise.resolve({ exitCode: 0, webhook: false }),
    sendWebhook: () => Promise.resolve(),
    verifyOrder: () => Promise.resolve(true),
    verifyParked: ({ signals }) => Promise.resolve(signals.map(() => 'wake')),
    verifyWake: () => Promise.resolve(true),
  };
  const recorded = Object.entries({ ...quiet, ...overrides }).map(([name, perform]) => [
    name,
    (...args: unknown[]): unknown => {
      const { isLocal, attempt } = Context.current().info;
      if (isLocal && !quick && QUICK.has(name)) return Promise.resolve(null);
      calls.push({ activity: name as keyof Activities, args, attempt });
      return (perform as (...args: unknown[]) => unknown)(...args);
    },
  ]);
  return {
    activities: Object.fromEntries(recorded) as Activities,
    calls,
    argsOf: <K extends keyof Activities>(activity: K) =>
      calls.filter((call) => call.activity === activity).map(({ args }) => args as Parameters<Activities[K]>),
  };
}

/** The performed steps with their indexes: "checkGate 1". Without stops, which run alongside a step. */
export const stepsOf = ({ calls }: Stubs): string[] =>
  calls
    .filter(({ activity }) => activity !== 'stopRun')
    .map(({ activity, args }) => (typeof args[1] === 'number' ? `${activity} ${args[1]}` : activity));

/** Pages of these cells; `finished` gives the result that a cell already has. */
export const pagesOf =
  (cells: Cell[], finished: (cell: Cell) => 'pass' | 'fail' | null = () => null): Activities['loadCells'] =>
  ({ offset, limit, positions }) =>
    Promise.resolve({
      cells: (positions === undefined
        ? cells.slice(offset, offset + limit)
        : positions.flatMap((position) => cells[position] ?? [])
      ).map((one) => ({ cell: one, finished: finished(one), proof: 'of the run' })),
      total: cells.length,
    });

export interface BlockedAgents {
  runAgent: Activities['runAgent'];
  /** The ids of the cells with started agents, in the order of the starts. */
  started: string[];
  /** Lets the agent of a cell end, even if it has not started yet. */
  release: (cell: string) => void;
  releaseAll: () => void;
}

/** Agents that work until they are released or cancelled. */
export function blockedAgents(): BlockedAgents {
  const started: string[] = [];
  const gates = new Map<string, PromiseLatch>();
  let open = false;
  const gateOf = (id: string): PromiseLatch => {
    const known = gates.get(id) ?? latch();
    gates.set(id, known);
    return known;
  };
  return {
    started,
    runAgent: async ({ cell: { id } }) => {
      started.push(id);
      if (!open) await untilCancelled(gateOf(id).opened);
      return brief();
    },
    release: (id) => gateOf(id).open(),
    releaseAll: () => {
      open = true;
      gates.forEach((gate) => gate.open());
    },
  };
}

export interface PromiseLatch {
  opened: Promise<void>;
  open: () => void;
}

export function latch(): PromiseLatch {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

/** Waits as our activities do: with heartbeats, since only these deliver a cancel, and rejecting when it arrives. */
export async function untilCancelled<T>(work: Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), 20);
  try {
    return await Promise.race([work, context.cancelled]);
  } finally {
    clearInterval(timer);
  }
}

/** A failure of infrastructure that is not tried again. */
export const broken = (message: string) => ApplicationFailure.nonRetryable(message);

/** A failure of infrastructure that is tried again at once. */
export const flaky = (message: string) => ApplicationFailure.create({ message, nextRetryDelay: '1 ms' });
