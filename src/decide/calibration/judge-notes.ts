import { beginningOf, groupBy, betweenText, formatCost, points } from '#lib';
import type { Calibrations, GateCalibration, Agreement, Calibration, JudgeDrift } from './document.js';
import type { Comparison } from '../comparison/document.js';

/** A sentence about a model that judges. It is a warning unless the model is shown to agree with people. */
interface JudgeNote {
  text: string;
  isWarning: boolean;
}

/** The number of runs to review, if none or too few have been. */
const ENOUGH_REVIEWS = 20;

/** Says in a sentence how far a judge can be trusted. It is a warning unless the verdict is `agrees`. */
export function judgeNote({ judge, verdict, overall, criteria, ...counts }: Calibration): string {
  const name = `judge ${judge}`;
  // If people scored only criteria, the one with the most scores speaks for all.
  const [shown] = [overall, ...[...criteria].sort((a, b) => b.reviewed - a.reviewed)].filter(
    ({ reviewed }) => reviewed > 0,
  );
  if (verdict === 'not calibrated' || shown === undefined)
    return `${name} is not calibrated: no person has scored a run that it judged. Score about ${ENOUGH_REVIEWS} in their evaluation.md before you rely on its scores`;
  const numbers = `${kappaText(shown)}; ${differenceText(shown)}${mistakesText(counts)}`;
  switch (verdict) {
    case 'unclear':
      return `whether ${name} agrees with people is unclear: ${numbers}. Score about ${ENOUGH_REVIEWS} runs of different quality`;
    case 'low agreement':
      return `${name} agrees little with people: ${numbers}. Do not rely on its scores; change its rubric or model`;
    case 'agrees':
      return `${name} agrees with people: ${numbers}`;
  }
}

/** Formats kappa: "weighted kappa 0.71 (0.52 to 0.90) in 22 runs". */
function kappaText({ kappa, interval, reviewed }: Agreement): string {
  const runs = `${reviewed} ${reviewed === 1 ? 'run' : 'runs'} that a person scored`;
  if (kappa === null) return reviewed < 2 ? `only ${runs}` : `all scores of the ${runs} are the same`;
  return `weighted kappa ${kappa.toFixed(2)}${rangeText(interval)} in ${runs}`;
}

function differenceText({ difference, difference_interval: interval }: Agreement): string {
  if (difference === null) return 'the mean difference is unknown';
  const size = Math.abs(difference).toFixed(2);
  const which = size === '0.00' ? 'the same' : `${size} ${difference > 0 ? 'higher' : 'lower'}`;
  return `it scores ${which} on average${rangeText(interval)}`;
}

/** Says which runs only one of model and person would pass; '' if there are none. */
function mistakesText({
  passed_alone: passed,
  failed_alone: failed,
}: Pick<Calibration, 'passed_alone' | 'failed_alone'>): string {
  const parts = [
    ...(passed === 0 ? [] : [`passes ${passed} that people would fail`]),
    ...(failed === 0 ? [] : [`fails ${failed} that people would pass`]),
  ];
  return parts.length === 0 ? '' : `; it ${parts.join(' and ')}`;
}

/** Formats an interval: " (-0.10 to 0.02)". */
export const rangeText = (interval: { low: number; high: number } | null): string =>
  interval === null ? '' : ` (${interval.low.toFixed(2)} to ${interval.high.toFixed(2)})`;

/** Says in sentences how far the models can be trusted that decide gates. Gates without any human verdict share one. */
function gateNotes(gates: readonly GateCalibration[]): JudgeNote[] {
  const without = gates.filter(({ verdict }) => verdict === 'not calibrated');
  return [
    ...groupBy(without, ({ judge }) => judge).map((group) => ({
      text: withoutVerdicts(group),
      isWarning: true,
    })),
    ...gates
      .filter(({ verdict }) => verdict !== 'not calibrated')
      .map((gate) => ({ text: noteOf(gate), isWarning: gate.verdict !== 'agrees' })),
  ];
}

/** More gates do not fit into a sentence. */
const MAX_NAMES = 3;
/** A prompt may be long. */
const LONGEST_NAME = 60;

const nameOf = ({ scenario, gate }: GateCalibration): string => `'${beginningOf(gate, LONGEST_NAME)}' of ${scenario}`;

function withoutVerdicts(gates: readonly GateCalibration[]): string {
  const names = gates.slice(0, MAX_NAMES).map(nameOf).join(', ');
  const more = gates.length > MAX_NAMES ? ` and ${gates.length - MAX_NAMES} more` : '';
  const [subject, it] = gates.length === 1 ? ['a gate', 'it'] : [`${gates.length} gates`, 'them'];
  return `${subject} not calibrated, decided by ${gates[0]?.judge ?? ''}: ${names}${more}. No person has said in which runs ${it === 'it' ? 'it' : 'they'} should pass. Write pass or fail into about ${ENOUGH_REVIEWS} evaluation.md files before you rely on ${it}`;
}

function noteOf(gate: GateCalibration): string {
  const name = `gate ${nameOf(gate)}, decided by ${gate.judge},`;
  const numbers = `${agreementText(gate)}${mistakesText(gate)}`;
  switch (gate.verdict) {
    case 'agrees':
      return `${name} agrees with people: ${numbers}`;
    case 'low agreement':
      return `${name} agrees little with people: ${numbers}, which chance gives almost as often. Do not rely on it; change its prompt or model`;
    case 'unclear':
    case 'not calibrated':
      return `whether ${name} agrees with people is unclear: ${numbers}. Write pass or fail for about ${ENOUGH_REVIEWS} runs, some good and some bad`;
  }
}

function agreementText({ agreed, reviewed, interval, kappa, kappa_interval }: GateCalibration): string {
  const range = interval === null ? '' : ` (${percent(interval.low)} to ${percent(interval.high)} %)`;
  const beyond = kappa === null ? '' : `, kappa ${kappa.toFixed(2)}${rangeText(kappa_interval)}`;
  return `the same verdict in ${agreed} of ${reviewed} runs${range}${beyond}`;
}

const percent = (share: number): string => String(Math.round(100 * share));

/** Says in sentences how far the models can be trusted that judge the runs of a sweep. */
export const judgeNotes = ({ judges, gates }: Calibrations): JudgeNote[] => [
  ...judges.map((judge) => ({ text: judgeNote(judge), isWarning: judge.verdict !== 'agrees' })),
  ...gateNotes(gates),
];

/** The sentences about models that are not shown to agree with people. */
export const judgeWarnings = (calibrations: Calibrations): string[] =>
  judgeNotes(calibrations).flatMap(({ text, isWarning }) => (isWarning ? text : []));

/** After so many days, the judge may have changed again. */
const MAX_DAYS = 14;

/**
 * Says in a sentence whether the judge has moved between two sweeps: "judge: moved by -25 points between the sweeps:
 * ...".
 */
export function driftText(drift: JudgeDrift): string {
  const { state, differs, left_out: leftOut, days, explains, judged, moved } = drift;
  const finding = {
    'not checked':
      differs.length > 0
        ? 'not the same, and not checked'
        : judged === 0
          ? 'not checked: base keeps no answers that could be judged again'
          : `not checked: none of the ${judged} runs of base that it judged was judged again`,
    same: `no movement shown: ${countsOf(drift)}`,
    moved: `moved by ${points(moved ?? 0)} points between the sweeps: ${countsOf(drift)}`,
  }[state];
  return [
    `judge: ${finding}`,
    ...differs,
    ...(leftOut === 0 ? [] : [`${leftOut} left out, of which another check has another verdict, too`]),
    ...((days ?? 0) < MAX_DAYS ? [] : [`${days} days away from head, in which it may have changed again`]),
    ...(explains ? ['it could be the reason'] : []),
  ].join('; ');
}

const countsOf = ({ again, judged, to_fail: toFail, to_pass: toPass, interval }: JudgeDrift): string =>
  `${again} of ${Math.max(again, judged)} runs of base judged again, ${again - toFail - toPass} with the same outcome, ${toFail} now fail, ${toPass} now pass (between ${betweenText(interval?.low ?? 0, interval?.high ?? 0)} points)`;

/** Says what the change is without the movement of the judge, where that is known and matters. */
export const withoutDriftText = ({ state, differs, without }: JudgeDrift): string[] =>
  without === null || (state !== 'moved' && differs.length === 0)
    ? []
    : [
        `by the judge of head alone, the pass rate changed by ${points(without.difference)} points (between ${betweenText(without.interval.low, without.interval.high)})`,
      ];

/** Returns the command that shows more of the judge, and what it does; null: nothing can be judged again. */
export function judgeCheck(
  { sample, state, explains }: JudgeDrift,
  { base, head }: { base: string; head: string },
): { command: string; does: string } | null {
  if (sample === null || (state !== 'not checked' && !explains)) return null;
  const regrade = `regrade ${base}${sample.model === null ? '' : ` --judge-model ${sample.model}`}`;
  if (state !== 'not checked')
    return { command: regrade, does: `judges all of base again; then compare the new sweep with ${head}` };
  const cost = sample.usd === null ? 'at an unknown cost' : `for about ${formatCost(sample.usd)}`;
  return {
    command: `${regrade} --sample ${sample.runs}`,
    does: `judges ${sample.runs} runs of base again ${cost}; then compare again`,
  };
}

/** Returns what is known of the models that judged each side. */
export function comparedCalibrations({
  calibration,
  gate_calibration: gates,
}: Pick<Comparison, 'calibration' | 'gate_calibration'>): { base: Calibrations; head: Calibrations } {
  const side = (name: 'base' | 'head'): Calibrations => ({
    judges: calibration?.[name] ?? [],
    gates: gates?.[name] ?? [],
  });
  return { base: side('base'), head: side('head') };
}

/** Returns the sentences about models that are not shown to agree with people, each once. */
export function comparedJudgeWarnings(comparison: Comparison): string[] {
  const { base, head } = comparedCalibrations(comparison);
  return [...new Set([...judgeWarnings(base), ...judgeWarnings(head)])];
}
