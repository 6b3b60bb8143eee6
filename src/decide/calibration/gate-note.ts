import { beginningOf, groupBy } from '#lib';
import type { GateCalibration } from './document.js';
import { ENOUGH_REVIEWS, mistakesText, rangeText, type JudgeNote } from './judge-note.js';

/** Says in sentences how far the models can be trusted that decide gates. Gates without any human verdict share one. */
export function gateNotes(gates: readonly GateCalibration[]): JudgeNote[] {
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
const MOST_NAMES = 3;
/** A prompt may be long. */
const LONGEST_NAME = 60;

const nameOf = ({ scenario, gate }: GateCalibration): string =>
  `'${beginningOf(gate, LONGEST_NAME)}' of ${scenario}`;

function withoutVerdicts(gates: readonly GateCalibration[]): string {
  const names = gates.slice(0, MOST_NAMES).map(nameOf).join(', ');
  const more = gates.length > MOST_NAMES ? ` and ${gates.length - MOST_NAMES} more` : '';
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
