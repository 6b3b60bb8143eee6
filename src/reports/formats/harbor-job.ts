import { groupBy, isMap, type Json, safeName, sha256 } from '#lib';
import type { Metrics, Outcome, RunRecord, StepRecord } from '#model';
import { tokensOf } from './atif.js';

/*
 * Sweeps in the layout in which Harbor keeps its jobs: a job is a sweep, and a trial a run. Harbor's models read null
 * as unknown. What they have no field for is in `metadata`.
 */

type Rewards = Record<string, number>;

/** A trial: the name of its folder, and what is in it. */
export interface HarborTrial {
  name: string;
  config: Record<string, Json>;
  result: TrialResult;
  /** The output of the verifier; null if there was none. */
  output: string | null;
}

interface Phase {
  started_at: string;
  finished_at: string;
}

interface TrialResult extends Record<string, unknown> {
  trial_name: string;
  agent_info: { name: string; version: string; model_info: { name: string; provider: string | null } | null };
  agent_result: Record<string, Json> | null;
  verifier_result: { rewards: Rewards } | null;
  exception_info: Record<'exception_type' | 'exception_message' | 'exception_traceback' | 'occurred_at', string> | null;
}

/** An id in the form of a UUID that is always the same for the same text. */
function uuidOf(text: string): string {
  const hex = sha256(text);
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join('-');
}

const TASK_LENGTH = 32;

/** As Harbor names trials: the task, and characters that tell attempts apart. */
const nameOfTrial = ({ scenario, run_id: id }: RunRecord): string =>
  `${safeName(scenario.name).slice(0, TASK_LENGTH)}__${sha256(id).slice(0, 7)}`;

/** Gates in which a verifier has left rewards. */
const REWARDING: ReadonlySet<string> = new Set(['verifier', 'step_rewards']);

function rewardsIn(detail: Json | null): Rewards | null {
  const rewards = isMap(detail) ? detail['rewards'] : null;
  return isMap(rewards) ? (rewards as Rewards) : null;
}

/** The rewards of a run: those of its last verifier, or, for a scenario without one, 1 if it passed and 0 if not. */
function rewardsOf(outcome: Outcome, { details }: Pick<Metrics, 'details'>): Rewards | null {
  const last = details.findLast(({ gate_type: type }) => REWARDING.has(type));
  if (last !== undefined) return rewardsIn(last.detail);
  return outcome === 'pass' || outcome === 'fail' ? { reward: outcome === 'pass' ? 1 : 0 } : null;
}

/** The exception that Harbor would have recorded; null if there is none. */
function exceptionOf({ outcome, message, agent, ended_at: at }: RunRecord): TrialResult['exception_info'] {
  const because = (exception_type: string, exception_message: string) => ({
    exception_type,
    exception_message,
    exception_traceback: '',
    occurred_at: at,
  });
  if (outcome === 'cancelled') return because('CancelledError', message);
  if (outcome === 'error') return because('RuntimeError', message);
  return agent?.ending === 'timeout' ? because('AgentTimeoutError', agent.message) : null;
}

/** The time of the steps with these names; null if none was performed. */
function phaseOf(steps: readonly StepRecord[], isOf: (name: string) => boolean): Phase | null {
  const times = steps.flatMap(({ name, duration_ms: ms, ended_at: end }) =>
    isOf(name) && ms !== null && end !== undefined ? [{ from: Date.parse(end) - ms, to: Date.parse(end) }] : [],
  );
  if (times.length === 0) return null;
  const at = (ms: number): string => new Date(ms).toISOString();
  return {
    started_at: at(Math.min(...times.map(({ from }) => from))),
    finished_at: at(Math.max(...times.map(({ to }) => to))),
  };
}

const modelOf = ({ model }: Pick<RunRecord, 'model'>): TrialResult['agent_info']['model_info'] => {
  if (model === 'default') return null;
  const [first = '', ...rest] = model.split('/');
  return rest.length === 0 ? { name: model, provider: null } : { name: rest.join('/'), provider: first };
};

function agentResult({ agent, run_id, sweep, outcome, message }: RunRecord): Record<string, Json> | null {
  if (agent === null) return null;
  const { prompt, completion, cached } = tokensOf(agent.token_usage);
  return {
    n_input_tokens: prompt,
    n_cache_tokens: cached,
    n_output_tokens: completion,
    cost_usd: agent.cost_usd,
    metadata: { run_id, sweep, outcome, message },
  };
}

/** The folder of a task, or the file of another scenario. */
const pathOf = ({ scenario: { file } }: RunRecord): string => file.replace(/\/?task\.toml$/, '') || '.';

/** A run as a trial of a job in this folder. */
export function harborTrial(run: RunRecord, metrics: Pick<Metrics, 'details'>, jobFolder: string): HarborTrial {
  const name = nameOfTrial(run);
  const { agent_name: agent, model, steps } = run;
  const named = { name: agent, model_name: model === 'default' ? null : model };
  const config = { task: { path: pathOf(run) }, trial_name: name, trials_dir: jobFolder, agent: named };
  const rewards = rewardsOf(run.outcome, metrics);
  const verifiers = metrics.details.filter(({ gate_type: type }) => type === 'verifier');
  const isMultiStep = metrics.details.some(({ gate_type: type }) => type === 'step_rewards');
  const output = verifiers
    .flatMap(({ detail }) => (isMap(detail) && typeof detail['output'] === 'string' ? [detail['output']] : []))
    .join('\n');
  return {
    name,
    config: { ...config, job_id: uuidOf(run.sweep) },
    output: verifiers.length === 0 ? null : output,
    result: {
      id: uuidOf(run.run_id),
      task_name: run.scenario.name,
      trial_name: name,
      trial_uri: `file://${jobFolder}/${name}`,
      task_id: { path: pathOf(run) },
      source: null,
      task_checksum: run.scenario.hash,
      config: { ...config, job_id: uuidOf(run.sweep) },
      agent_info: { name: agent, version: run.agent?.version ?? 'unknown', model_info: modelOf(run) },
      agent_result: agentResult(run),
      verifier_result: rewards === null ? null : { rewards },
      exception_info: exceptionOf(run),
      started_at: run.started_at,
      finished_at: run.ended_at,
      environment_setup: phaseOf(steps, (step) => /^(image|verifier image|prepare)$/.test(step)),
      agent_execution: phaseOf(steps, (step) => /^(agent|input|turn)\b/.test(step)),
      verifier: phaseOf(steps, (step) => /^gate\b/.test(step)),
      step_results: isMultiStep
        ? verifiers.map(({ detail }, at) => {
            const own = rewardsIn(detail);
            return { step_name: `step ${at + 1}`, verifier_result: own === null ? null : { rewards: own } };
          })
        : null,
    },
  };
}

interface Evaluation {
  n_trials: number;
  n_errors: number;
  reward_stats: Record<string, Record<string, string[]>>;
  exception_stats: Record<string, string[]>;
}

/** Trials of an agent and a model, counted as Harbor counts them. */
function evaluationOf(trials: readonly TrialResult[]): Evaluation {
  const found: Evaluation = { n_trials: 0, n_errors: 0, reward_stats: {}, exception_stats: {} };
  for (const { trial_name: name, verifier_result: verified, exception_info: exception } of trials) {
    if (verified !== null) found.n_trials += 1;
    for (const [key, value] of Object.entries(verified?.rewards ?? {}))
      ((found.reward_stats[key] ??= {})[String(value)] ??= []).push(name);
    if (exception === null) continue;
    found.n_errors += 1;
    (found.exception_stats[exception.exception_type] ??= []).push(name);
  }
  return found;
}

const keyOf = ({ agent_info: { name, model_info: model } }: TrialResult): string =>
  [name, ...(model === null ? [] : [model.name]), 'adhoc'].join('__');

/** The sum of what is known; null if nothing is. */
function sumOf(trials: readonly TrialResult[], field: string): number | null {
  const known = trials.flatMap(({ agent_result: agent }) => {
    const value = agent?.[field];
    return typeof value === 'number' ? [value] : [];
  });
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0);
}

/** `config.json` and `result.json` of a job. `total`: the number of cells of the sweep. */
export function harborJob(
  sweep: string,
  jobsFolder: string,
  trials: readonly HarborTrial[],
  { total, attempts, isOver }: { total: number; attempts: number; isOver: boolean },
): { config: Json; result: Json } {
  const results = trials.map(({ result }) => result);
  const groups = groupBy(results, keyOf).map(
    (group) => [group[0] === undefined ? '' : keyOf(group[0]), group] as const,
  );
  const times = (field: 'started_at' | 'finished_at'): string[] =>
    results.map((result) => String(result[field])).sort();
  const [startedAt = new Date(0).toISOString()] = times('started_at');
  const endedAt = times('finished_at').at(-1) ?? startedAt;
  const isOf = (type: string) => (result: TrialResult) => result.exception_info?.exception_type === type;
  const stats = {
    n_completed_trials: results.length,
    n_errored_trials: results.filter(({ exception_info: exception }) => exception !== null).length,
    n_running_trials: 0,
    n_pending_trials: total - results.length,
    n_cancelled_trials: results.filter(isOf('CancelledError')).length,
    n_retries: 0,
    evals: Object.fromEntries(groups.map(([key, group]) => [key, evaluationOf(group)])),
    n_input_tokens: sumOf(results, 'n_input_tokens'),
    n_cache_tokens: sumOf(results, 'n_cache_tokens'),
    n_output_tokens: sumOf(results, 'n_output_tokens'),
    cost_usd: sumOf(results, 'cost_usd'),
  };
  const unique = (values: readonly unknown[]): Json[] =>
    [...new Set(values.map((value) => JSON.stringify(value)))].map((text) => JSON.parse(text) as Json);
  return {
    config: {
      job_name: sweep,
      jobs_dir: jobsFolder,
      n_attempts: attempts,
      agents: unique(trials.map(({ config }) => config['agent'])),
      tasks: unique(trials.map(({ config }) => config['task'])),
    },
    result: {
      id: uuidOf(sweep),
      started_at: startedAt,
      updated_at: endedAt,
      finished_at: isOver ? endedAt : null,
      n_total_trials: total,
      stats: stats as unknown as Json,
    },
  };
}
