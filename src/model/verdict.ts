import { gateTitle } from './gate-title.js';
import type { Judgment } from './records/judgment.js';
import type { AgentRecord } from './records/run-record.js';
import type { GateDetail } from './records/result-line.js';
import type { Outcome } from './records/run-facts.js';
import type { HumanReview } from './records/human-review.js';

/** Formats a score with two digits; "n/a" for null. */
export const scoreText = (score: number | null): string => (score === null ? 'n/a' : score.toFixed(2));

/** Formats the score of a human review as it was given: "4/5", "80%". */
export function givenScore({ points, max, problem }: HumanReview): string {
  if (points !== null && max !== null) return max === 100 ? `${points}%` : `${points}/${max}`;
  return problem === null ? 'no score' : 'unreadable';
}

/** Formats a score and its threshold with two digits, or with as many as it takes to show that they differ. */
export function comparedScores(score: number, threshold: number): [score: string, threshold: string] {
  const differ = (digits: number): boolean => score.toFixed(digits) !== threshold.toFixed(digits);
  const digits = score === threshold ? 2 : ([2, 3, 4, 5].find(differ) ?? 6);
  return [score.toFixed(digits), threshold.toFixed(digits)];
}

/** Describes the votes of a judge and their spread; null if there was only one vote. */
export function votesText({ votes, spread }: Pick<Judgment, 'votes' | 'spread'>): string | null {
  if (spread === null) return null;
  const each = votes.map(scoreText).join(', ');
  return `mean of ${votes.length} votes: ${each}; range ${scoreText(spread.range)}, standard deviation ${scoreText(spread.deviation)}`;
}

/** A step that the plan requires, and its result. */
interface RequiredStep<T> {
  step: string;
  /** Null: missing, altered, or not performed. The run is then an `error`. */
  result: T | null;
  /** The reason why there is no result, if that is known; completes the sentence "step 'name' ...". */
  why: string | null;
}

type JudgeScore = Pick<Judgment, 'weighted_score' | 'pass_threshold' | 'passed'>;

/** A condition that must be met before a run can pass. A verdict considers all of them. */
export type Check =
  | ({ kind: 'gate' } & RequiredStep<GateDetail>)
  | ({ kind: 'judge' } & RequiredStep<JudgeScore>)
  /** A step without a verdict of its own: the workspace, the agent, a post script, an evaluator. */
  | ({ kind: 'step' } & RequiredStep<true>);

export interface VerdictInput {
  /** The rule: every gate must pass, or one is enough. */
  rule: 'all_pass' | 'any_pass';
  /** True if an agent takes part. */
  needsAgent: boolean;
  cancelled: boolean;
  /** The reason why the agent could not start in the workspace (a failed health check, no target); null if it could. */
  unfit: string | null;
  /** null when the agent was not started. */
  agent: Pick<AgentRecord, 'ending' | 'completed' | 'message'> | null;
  /** The reason why the agent's work cannot be judged: a full disk may have kept it from writing. */
  spoiled?: string | null;
  /** Everything that the plan requires of the run at this stage, whether or not there is a result of it. */
  checks: readonly Check[];
}

export interface OutcomeDecision {
  outcome: Outcome;
  /** One short sentence that gives the reason. */
  message: string;
}

/**
 * Decides the outcome of a run. An agent that did not complete is not a failure by itself: the gates decide. A check
 * that could not be made is an `error`, even if another check failed. Otherwise `error` would only remove runs that
 * might have passed, and comparisons would be biased.
 */
export function decideOutcome(input: VerdictInput): OutcomeDecision {
  const { rule, needsAgent, cancelled, unfit, agent, spoiled, checks } = input;
  const how = agent !== null && !agent.completed ? agentSentence(agent.message) : null;
  const because = (outcome: Outcome, ...reasons: (string | null)[]): OutcomeDecision => ({
    outcome,
    message: short(reasons.filter((reason) => reason !== null && reason !== '').join('; ')),
  });

  if (cancelled || agent?.ending === 'cancelled') return because('cancelled', 'the run was cancelled');
  if (unfit !== null) return because('error', unfit);
  if (agent?.ending === 'unable') return because('error', how ?? agent.message);
  if (spoiled != null) return because('error', spoiled, how);

  const wanted = checks.filter((check) => check.kind === 'gate');
  const gates = wanted.flatMap(({ result }) => result ?? []);
  const failed = gates.filter(({ status }) => status === 'fail').map(gateSentence);
  const broken = wanted.flatMap(({ step, result, why }) =>
    result === null ? [lack({ step, why })] : result.status === 'error' ? [gateSentence(result)] : [],
  );
  const lacking = checks.filter(({ kind, result }) => kind !== 'gate' && result === null).map(lack);
  const passed = `${gates.filter(({ status }) => status === 'pass').length}/${wanted.length} gates passed`;
  const judgment = checks.find((check) => check.kind === 'judge')?.result ?? null;
  const judged = judgment === null ? null : judgeSentence(judgment);

  if (broken.length > 0 || lacking.length > 0)
    return because(
      'error',
      how,
      broken.length === 0 ? null : `${passed}, ${broken.length} not checked: ${first(broken)}`,
      lacking.length === 0 ? null : first(lacking),
      failed.length === 0 ? null : `failed: ${first(failed)}`,
    );
  if (needsAgent && agent === null) return because('error', 'the agent was not started');
  if (rule === 'any_pass') {
    if (failed.length < gates.length)
      return because(judgment?.passed === false ? 'fail' : 'pass', how, `${passed}, of which one is enough`, judged);
    const none = gates.length === 0 ? 'no gates, of which one must pass' : `${passed}: ${first(failed)}`;
    return because('fail', how, none, judged);
  }
  if (failed.length > 0) return because('fail', how, `${passed}: ${first(failed)}`, judged);
  // Without gates, only completion shows that the agent did the task.
  const checked = wanted.length === 0 ? 'no gates to pass' : passed;
  if (wanted.length === 0 && agent?.completed === false) return because('fail', how, checked);
  return because(judgment?.passed === false ? 'fail' : 'pass', how, checked, judged);
}

const lack = ({ step, why }: Pick<Check, 'step' | 'why'>): string =>
  short(`step '${step}' ${why ?? 'left no result'}`, REASON_LENGTH);

const gateSentence = (gate: GateDetail): string => short(`${gateTitle(gate)}: ${gate.message}`, REASON_LENGTH);

/** Each reason is shortened by itself, so that the reasons after it are not cut off. */
const REASON_LENGTH = 160;

const first = ([sentence = '', ...more]: readonly string[]): string =>
  more.length > 0 ? `${sentence} (and ${more.length} more)` : sentence;

/** Formats a judgment: "judge 0.82", or "judge 0.52 < 0.70" with enough digits to show the difference. */
function judgeSentence({ weighted_score, pass_threshold, passed }: JudgeScore): string {
  if (passed) return `judge ${weighted_score.toFixed(2)}`;
  return `judge ${comparedScores(weighted_score, pass_threshold).join(' < ')}`;
}

function agentSentence(message: string): string {
  const text = message.trim().replace(/\.$/, '');
  return /\bagent\b/i.test(text) ? text : `agent: ${text}`;
}

/** Returns the text as one line of at most `most` characters. */
function short(text: string, most = 300): string {
  const characters = Array.from(text.replace(/[\s\p{Cc}]+/gu, ' ').trim());
  return characters.length <= most ? characters.join('') : `${characters.slice(0, most - 1).join('')}…`;
}

/** Weights of the judge, the gates and the interaction. */
interface CompositeWeights {
  judge_weight: number;
  gate_weight: number;
  interaction_weight: number;
}

/** The parts of a composite score. null: missing, which counts as 0 here and nowhere else. */
interface CompositeParts {
  judgeScore: number | null;
  gatesPassed: number;
  gatesTotal: number;
  firstTrySuccessRate: number | null;
}

type CompositeTier = 'Excellent' | 'Good' | 'Acceptable' | 'Poor';

/** Returns the weighted sum of judge score, share of gates passed and first-try success rate, limited to 0..1. */
export function compositeScore(weights: CompositeWeights, parts: CompositeParts): number {
  const gates = parts.gatesTotal > 0 ? parts.gatesPassed / parts.gatesTotal : 0;
  return clamp01(
    weights.judge_weight * (parts.judgeScore ?? 0) +
      weights.gate_weight * gates +
      weights.interaction_weight * (parts.firstTrySuccessRate ?? 0),
  );
}

/** Returns the tier of a composite score. */
export function compositeTier(score: number): CompositeTier {
  // A sum of weights such as 0.6 + 0.3 is a rounding error short of 0.9; that must not cost a tier.
  const reached = score + 1e-9;
  if (reached >= 0.9) return 'Excellent';
  if (reached >= 0.7) return 'Good';
  return reached >= 0.5 ? 'Acceptable' : 'Poor';
}

const clamp01 = (value: number): number => Math.min(1, Math.max(0, value));
