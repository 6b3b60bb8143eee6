import { Context } from '@temporalio/activity';
import type { Place } from '#environments';
import type { SkippedEntry } from '#host';
import { defined } from '#lib';
import {
  type AgentRecord,
  commandEnd,
  CommandRecord,
  decideOutcome,
  isAgentKind,
  judgeSkipReason,
  type MockedCalls,
  mockWarnings,
  type NamedStep,
  nameSteps,
  type RunRecord,
  SCHEMA_VERSION,
  type StepRecord,
  STEPS,
} from '#model';
import { type ReportInput, sweepWorkflowId } from '#protocol';
import { checksNothing, findAgentStep, firstAgentStep, gatesOf, type Step } from '#scenario';
import { agentRunsIn } from '../agent/agent-step.js';
import { turnNumber } from '../agent/turns.js';
import type { StepResults } from './collect-steps.js';
import { attemptsBegun } from '../step/fence.js';
import type { Manifest } from '../step/run-step-once.js';
import type { LoadedRun, RunIdentity } from '../run/context.js';

/** Composes run.json: what ran and how it ended. */
export function composeRecord(
  context: LoadedRun,
  input: ReportInput,
  found: StepResults,
  leftOut: SkippedEntry[],
  mocks: MockedCalls | null,
): RunRecord {
  const { run, scenario } = context;
  const prepared = found.prepared?.result ?? null;
  const agent = found.agent?.result.record ?? null;
  const contexts = found.contexts.flatMap(({ manifest }) => manifest?.result ?? []);
  const { unfit, checks } = found;
  const task = findAgentStep(scenario);
  const decision = decideOutcome({
    rule: scenario.judgment.gates,
    needsAgent: task !== null,
    cancelled: input.cancelled,
    unfit,
    agent: found.performed?.result.record ?? null,
    spoiled: found.performed?.result.spoiled ?? null,
    checks,
  });
  const isUnchecked = ['pass', 'fail'].includes(decision.outcome) && checksNothing(scenario, context.judge !== null);
  const commands = (isAfterAgent: boolean): CommandRecord[] =>
    found.commands.flatMap(({ of, manifest }) =>
      of.isAfterAgent === isAfterAgent && manifest !== null ? CommandRecord.parse(manifest.result) : [],
    );
  const [before, posts] = [commands(false), commands(true)];
  return {
    schema_version: SCHEMA_VERSION,
    run_id: run.run,
    sweep: run.sweep,
    cell: run.cell.id,
    workflow_id: run.inSweep === true ? sweepWorkflowId(run.sweep) : run.workflowId,
    scenario: {
      name: scenario.name,
      description: scenario.description,
      file: context.scenarioFile,
      hash: context.scenarioHash,
      tier: scenario.tier,
      tags: scenario.tags,
      prompt: task?.prompt ?? null,
    },
    target:
      context.target === null
        ? null
        : {
            binary: context.target.binary,
            resolved: prepared?.resolved ?? null,
            fingerprint: prepared?.target_fingerprint ?? null,
            health_check: prepared?.health_check ?? null,
          },
    agent_name: run.cell.agent,
    model: run.cell.model,
    variant: run.cell.variant,
    repetition: run.cell.repetition,
    environment: context.handle.type,
    ...imageOf(context.place),
    sandboxed: context.handle.type !== 'local',
    sandbox: { filesystem: context.handle.type !== 'local', network: context.place.network },
    started_at: new Date(input.startedAt).toISOString(),
    ended_at: new Date(input.endedAt).toISOString(),
    duration_secs: Math.round(input.endedAt - input.startedAt) / 1000,
    ...decision,
    ...(isUnchecked ? { unchecked: true as const } : {}),
    agent,
    starts: found.starts,
    judge:
      context.judge === null
        ? null
        : { model: context.judge.model, rubric: context.judge.rubric_file, artifacts: found.judgeArtifacts },
    ...(context.asked === undefined ? {} : { asked: { ...context.asked, ...found.asked } }),
    setup: [...(prepared?.setup ?? []), ...before],
    context: contexts.flatMap(({ record }) => record ?? []),
    post_scripts: posts,
    ...(context.plan.live === true ? { live: true } : {}),
    ...defined({ mocks, conversation: found.conversation }),
    ...(leftOut.length === 0 ? {} : { left_out: leftOut.slice(0, RECORDED) }),
    steps: stepRecords(context, input, found, unfit),
    regressions: [],
    warnings: [
      ...(prepared?.warnings ?? []),
      ...(found.agent?.result.warnings ?? []),
      ...notices(context, { before, posts }, agent),
      // Mocks manifest unused by a run that was not tested are no mistake of the scenario.
      ...(mocks === null || input.cancelled || unfit !== null ? [] : mockWarnings(mocks)),
      ...found.answerWarnings,
      ...found.lostStarts,
      ...(isUnchecked ? [NOTHING_CHECKED] : []),
      ...leftOutNotice(leftOut),
    ],
  };
}

const NOTHING_CHECKED =
  'nothing was checked: the scenario has neither gates nor a judge, so this run counts in no rate, comparison or verdict';

/** Warns that a run had less than it asked for. */
const clampedNotice = (field: string, asked: number, { environment }: LoadedRun['scenario']): string => {
  const had = environment.type === 'docker' ? Object.entries(environment).find(([name]) => name === field)?.[1] : null;
  return `${field} was ${String(had)} in place of ${asked}, because this machine has no more (--clamp)`;
};

/** Warnings about settings that could not be applied, and about commands that failed. */
function notices(
  { scenario, run, agent: adapter, place, clamped = {} }: LoadedRun,
  { before, posts }: { before: CommandRecord[]; posts: CommandRecord[] },
  agent: AgentRecord | null,
): string[] {
  return [
    ...Object.entries(clamped).map(([field, asked]) => clampedNotice(field, asked, scenario)),
    ...(place.lacking !== null && scenario.environment.type === 'auto'
      ? [`environment.type auto: no sandbox, used local: ${place.lacking}`]
      : []),
    ...(place.lacksNetwork === null
      ? []
      : [`the sandbox shared the network of this machine, including its loopback: ${place.lacksNetwork}`]),
    ...(agent?.containment === 'group'
      ? ['no PID namespace on this machine: agent processes were tracked by session and an environment variable']
      : []),
    ...failures('command before the agent', before),
    ...failures('post script', posts),
    ...(findAgentStep(scenario)?.max_turns === undefined || adapter.limitsTurns
      ? []
      : [`run.max_turns: not enforced, because the agent ${run.cell.agent} has no such limit`]),
    ...costNotice(scenario.cost.max_usd, agent),
  ];
}

const failures = (what: string, commands: readonly CommandRecord[]): string[] =>
  commands
    .filter(({ exit_code }) => exit_code !== 0)
    .map((command) => `${what} failed (${commandEnd(command)}): ${command.command}`);

const RECORDED = 100;
const NAMED = 10;

/** Tells readers of fixture/ that it is incomplete. */
function leftOutNotice(leftOut: SkippedEntry[]): string[] {
  const named = leftOut.slice(0, NAMED).map(({ path, reason }) => `${path} (${reason})`);
  const more = leftOut.length > NAMED ? ` and ${leftOut.length - NAMED} more` : '';
  return leftOut.length === 0 ? [] : [`left out of fixture/: ${named.join(', ')}${more}`];
}

/** Warning about a cost limit that was not enforced. A limit that stopped the agent is reported as its end instead. */
function costNotice(maxUsd: number | undefined, agent: AgentRecord | null): string[] {
  if (maxUsd === undefined || agent === null || agent.starts === 0) return [];
  if (agent.ending === 'max_cost') return [];
  const known = agent.cost_usd ?? agent.cost_usd_at_least ?? null;
  if (known !== null && known > maxUsd)
    return [`cost.max_usd exceeded: $${known} of $${maxUsd} (the cost was known only at the end)`];
  if (agent.cost_usd !== null) return [];
  return [
    known === null
      ? 'cost.max_usd: not enforced, because the cost of this agent is unknown'
      : `cost.max_usd: the agent cost at least $${known}; whether it cost more than $${maxUsd} is unknown`,
  ];
}

/** Name, result, and the step's own reason why it was not performed, if it has one. */
type PlannedStep = [name: string, manifest: Manifest<unknown> | null, reason?: string | null];

/** Returns why the scenario's judge was not asked; null if the reason is one that other steps share. */
const reasonNotJudged = ({ judge, scenario }: RunIdentity, found: StepResults): string | null =>
  judge === null
    ? 'left out by --no-judge'
    : judgeSkipReason({
        always: judge.always,
        gates: gatesOf(scenario).length,
        notPassed: found.gateDetails.filter(({ status }) => status !== 'pass').length,
        // If the agent was not run, other steps have the same reason.
        completed: found.agent?.result.record.completed ?? true,
      });

/**
 * A step of the scenario. One in which the agent works is listed with all runs of the agent, and with the other steps
 * of its turns.
 */
function stepsPlanned(found: StepResults, { step, name }: NamedStep<Step>, at: number, first: number): PlannedStep[] {
  if (!isAgentKind(step.kind))
    return [[name, [...found.contexts, ...found.commands].find(({ of }) => of.name === name)?.manifest ?? null]];
  const runs = agentRunsIn(found, at, first);
  if (runs.length === 0) return [[name, null]];
  return runs.flatMap(({ step, manifest }, index): PlannedStep[] => {
    const turn = turnNumber(manifest.result);
    const next = runs[index + 1]?.manifest.result;
    const isLast = next === undefined || turnNumber(next) !== turn;
    return [[step, manifest], ...(isLast ? [...gatesDue(found, at, turn), ...found.between(turn)] : [])];
  });
}

/** The gates that were checked after a step, or (null) after all: once, or after this turn of a conversation. */
const gatesDue = ({ gates }: StepResults, step: number | null, turn: number | null): PlannedStep[] =>
  gates
    .filter(({ after }) => after === step)
    .flatMap(({ checks }) => checks)
    .flatMap((check): PlannedStep[] => (check.turn === turn ? [[check.name, check.manifest]] : []));

function stepRecords(
  context: RunIdentity,
  { cancelled }: ReportInput,
  found: StepResults,
  unfit: string | null,
): StepRecord[] {
  const first = firstAgentStep(context.scenario);
  const planned: PlannedStep[] = [
    ...found.images,
    [STEPS.prepare, found.prepared],
    ...nameSteps(context.scenario.steps).flatMap((of, index) => [
      ...stepsPlanned(found, of, index, first),
      ...gatesDue(found, index, null),
    ]),
    ...gatesDue(found, null, null),
    ...found.evaluators.map((manifest, index): PlannedStep => [STEPS.evaluator(index), manifest]),
    ...(context.scenario.judgment.judge?.enabled === true
      ? [[STEPS.judge, found.judge, reasonNotJudged(context, found)] as PlannedStep]
      : []),
  ];
  const reason = cancelled
    ? 'the run was cancelled'
    : unfit !== null
      ? 'the workspace could not be prepared'
      : found.agent?.result.record.ending === 'unable'
        ? 'the agent could not work'
        : 'an earlier step failed';
  const { attempt } = Context.current().info;
  return [
    ...planned.map(([name, manifest, own]): StepRecord => {
      if (manifest !== null) {
        return {
          name,
          status: 'done',
          duration_ms: manifest.duration_ms,
          attempts: manifest.attempt,
          note: null,
          ended_at: manifest.at,
        };
      }
      const why = found.lacking.get(name);
      return why === undefined
        ? { name, status: 'not_performed', duration_ms: null, attempts: 0, note: own ?? reason }
        : {
            name,
            status: 'failed',
            duration_ms: null,
            attempts: attemptsBegun(context, name),
            note: why,
          };
    }),
    { name: STEPS.report, status: 'done', duration_ms: null, attempts: attempt, note: null },
  ];
}

const imageOf = ({ container }: Place): Pick<RunRecord, 'image'> =>
  container === undefined ? {} : { image: { name: container.name, id: container.id } };
