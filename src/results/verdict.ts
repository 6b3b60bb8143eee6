import { gateTitle } from './gate-title.js';
import type { Judgment } from './judgment.js';
import type { AgentRecord } from './run-record.js';
import type { GateDetail, Outcome } from './schema.js';
import { comparedScores } from './score-text.js';

export interface VerdictInput {
  cancelled: boolean;
  /** Why a step could not be performed although it was retried; null when all went well. */
  stepFailure: string | null;
  /** Why the workspace was not fit to start the agent in (a failed health check, no target); null when it was. */
  unfit: string | null;
  /** null when the agent was not started. */
  agent: Pick<AgentRecord, 'ending' | 'completed' | 'message'> | null;
  gates: readonly GateDetail[];
  /** null when no judge was asked, or could answer: then `stepFailure` says so. */
  judge: Pick<Judgment, 'weighted_score' | 'pass_threshold' | 'passed'> | null;
}

export interface Decision {
  outcome: Outcome;
  /** One short sentence that gives the reason. */
  message: string;
}

/**
 * What a run came to. An agent that did not complete is no failure by itself: the gates decide.
 * A failed gate is a finding even when something else was broken; without one, anything broken makes it `error`.
 */
export function decideOutcome(input: VerdictInput): Decision {
  const { agent, gates, unfit, stepFailure } = input;
  const failed = gates.filter((gate) => gate.status === 'fail');
  const broken = gates.filter((gate) => gate.status === 'error');
  const how = agent !== null && !agent.completed ? agentSentence(agent.message) : null;
  const because = (outcome: Outcome, ...reasons: (string | null)[]): Decision => ({
    outcome,
    message: short(reasons.filter((reason) => reason !== null && reason !== '').join('; ')),
  });

  if (input.cancelled || agent?.ending === 'cancelled') return because('cancelled', 'the run was cancelled');
  if (unfit !== null) return because('error', unfit);
  if (agent?.ending === 'unable') return because('error', how ?? agent.message);
  const judged = input.judge === null ? null : judgeSentence(input.judge);
  if (failed.length > 0)
    return because('fail', how, `${count(gates)}: ${first(failed)}`, judged, stepFailure);
  if (broken.length > 0)
    return because(
      'error',
      how,
      `${count(gates)}, ${broken.length} not checked: ${first(broken)}`,
      stepFailure,
    );
  if (stepFailure !== null) return because('error', how, stepFailure);
  if (agent === null) return because('error', 'the agent was not started');
  // Without gates nothing else speaks for the run: an agent that did not complete has not shown that it can do it.
  const checked = gates.length === 0 ? 'no gates to pass' : count(gates);
  if (gates.length === 0 && !agent.completed) return because('fail', how, checked);
  return because(input.judge?.passed === false ? 'fail' : 'pass', how, checked, judged);
}

/** "judge 0.82", or "judge 0.52 < 0.70" with as many digits as it takes to see that. */
function judgeSentence({
  weighted_score,
  pass_threshold,
  passed,
}: NonNullable<VerdictInput['judge']>): string {
  if (passed) return `judge ${weighted_score.toFixed(2)}`;
  return `judge ${comparedScores(weighted_score, pass_threshold).join(' < ')}`;
}

function count(gates: readonly GateDetail[]): string {
  return `${gates.filter((gate) => gate.status === 'pass').length}/${gates.length} gates passed`;
}

function first(gates: readonly GateDetail[]): string {
  const [gate] = gates;
  if (gate === undefined) return '';
  // Shortened here, so that what follows is not cut off.
  const reason = short(`${gateTitle(gate)}: ${gate.message}`, 160);
  return gates.length > 1 ? `${reason} (and ${gates.length - 1} more)` : reason;
}

function agentSentence(message: string): string {
  const text = message.trim().replace(/\.$/, '');
  return /\bagent\b/i.test(text) ? text : `agent: ${text}`;
}

/** One line of at most `most` characters. */
function short(text: string, most = 300): string {
  const characters = Array.from(text.replace(/[\s\p{Cc}]+/gu, ' ').trim());
  return characters.length <= most ? characters.join('') : `${characters.slice(0, most - 1).join('')}…`;
}
