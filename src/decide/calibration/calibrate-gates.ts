import { groupBy } from '#lib';
import { gateTitle, type GateDetail, type GateVerdict } from '#model';
import { predictionPoweredMean, type ScorePair, weightedKappa, wilsonInterval } from '#statistics';
import { agreementVerdict } from './calibrate.js';
import type { GateCalibration } from './document.js';

/** A gate of a run that a model has decided, and what a person says of it. */
export interface DecidedGate {
  scenario: string;
  judge: string;
  gate: Pick<GateDetail, 'index' | 'gate_type' | 'name' | 'subject' | 'passed'>;
  human: GateVerdict | null;
}

/**
 * Says which verdicts are about the same question to the same model: gates of a scenario with the same type, name and
 * subject. The subject of `llm_judge` is its prompt.
 */
export const gateJudgeKey = ({ scenario, judge, gate }: Omit<DecidedGate, 'human'>): string =>
  JSON.stringify([judge, scenario, gate.gate_type, gate.name, gate.subject]);

const LEVEL = { alpha: 0.05 };

/**
 * Compares the verdicts of models on each gate of a sweep with those of people. `earlier`: gates of runs of other
 * sweeps. They tell how far the same model agrees with people on the same gate, and do not correct the pass rate.
 */
export const calibrateGates = (own: readonly DecidedGate[], earlier: readonly DecidedGate[]): GateCalibration[] =>
  groupBy(own, gateJudgeKey).flatMap((decided) => {
    const [first] = decided;
    if (first === undefined) return [];
    const others = earlier.filter((one) => gateJudgeKey(one) === gateJudgeKey(first));
    const labelled = decided.flatMap(pairOf);
    const pairs = [...labelled, ...others.flatMap(pairOf)];
    const agreed = pairs.filter(({ human, judge }) => human === judge).length;
    const agreement = weightedKappa(pairs, LEVEL);
    return [
      {
        scenario: first.scenario,
        number: first.gate.index + 1,
        gate: gateTitle(first.gate),
        judge: first.judge,
        judged: decided.length,
        passed: decided.filter(({ gate }) => gate.passed).length,
        reviewed: pairs.length,
        agreed,
        interval: wilsonInterval({ passed: agreed, tested: pairs.length }, LEVEL),
        kappa: agreement?.kappa ?? null,
        kappa_interval: agreement?.interval ?? null,
        verdict: agreementVerdict(pairs, agreement),
        passed_alone: pairs.filter(({ human, judge }) => judge > human).length,
        failed_alone: pairs.filter(({ human, judge }) => judge < human).length,
        corrected: correctedRate(decided, labelled),
      },
    ];
  });

const share = (isPass: boolean): number => (isPass ? 1 : 0);

const pairOf = ({ gate, human }: DecidedGate): ScorePair[] =>
  human === null ? [] : [{ judge: share(gate.passed), human: share(human === 'pass') }];

function correctedRate(decided: readonly DecidedGate[], labelled: readonly ScorePair[]): GateCalibration['corrected'] {
  const judged = decided.flatMap(({ gate, human }) => (human === null ? share(gate.passed) : []));
  const found = predictionPoweredMean({ labelled, judged }, LEVEL);
  if (found === null) return null;
  const rate = (value: number): number => Math.min(1, Math.max(0, value));
  return {
    rate: rate(found.mean),
    interval: { low: rate(found.interval.low), high: rate(found.interval.high) },
    reviewed: labelled.length,
  };
}
