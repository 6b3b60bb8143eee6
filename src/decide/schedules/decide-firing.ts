import { configurationLabel } from '#model';
import type { Gate } from '../comparison/gate.js';
import type { Firing } from '../documents/firing.js';
import type { FollowedNights } from '../documents/nights.js';
import type { Totals } from '../totals.js';

/**
 * Decides whether a night is worse than the reference. A loss that began on an earlier night counts until it is gone or
 * accepted, whatever this night shows by itself. `gate`: the comparison of this night alone with the reference, which
 * says what was not tested; by itself, it finds no loss: with a look each night, it would soon find one by chance.
 */
export function decideNight(gate: Gate, nights: FollowedNights, schedule: string): Gate {
  const words = lossText(nights, schedule);
  const untested = gate.result === 'not tested' ? gate.reasons : [];
  if (nights.state === 'loss' && nights.robust) return { result: 'worse', reasons: [...words, ...untested] };
  if (nights.state === 'loss' || untested.length > 0) return { result: 'not tested', reasons: [...words, ...untested] };
  if (nights.state === 'no loss') return { result: 'not shown', reasons: [] };
  return { result: 'undecided', reasons: words };
}

/** Says since when fewer runs pass, and what to do: a sentence or none. */
export function lossText(nights: FollowedNights, schedule: string): string[] {
  const { state, since, before, after, configurations, robust } = nights;
  if (state === 'too few runs')
    return ['too few runs so far to see any loss: the next nights add to them, or use a higher --repeat'];
  if (since === null || after === null) return [];
  const named = configurations.map((one) => configurationLabel(one)).join(', ');
  const facts = `${shareOf(before)} before, ${shareOf(after)} since${named === '' ? '' : ` (most of all ${named})`}`;
  const begin = `${since.sweep} (${since.at.slice(0, 10)})`;
  if (state === 'possible loss') return [`perhaps worse since ${begin}: ${facts}; the next nights decide`];
  const doubt = robust
    ? ''
    : '; cells that ended with an error or were cancelled may be the reason: run them again with `retry`';
  return [
    `worse since ${begin}: ${facts}${doubt}; this stays until it is gone, or accepted with \`schedule accept ${schedule}\``,
  ];
}

const shareOf = ({ rate, passed, tested }: FollowedNights['before']): string =>
  `${rate === null ? 'n/a' : `${Math.round(100 * rate)} %`} (${passed} of ${tested} runs)`;

/** Says what has become dearer or slower: a sentence each. */
export const riseTexts = ({ rises }: FollowedNights): string[] =>
  rises.map(
    ({ measure, factor, since }) =>
      `a run ${measure === 'cost_usd' ? 'costs' : 'takes'} ${Math.round(100 * (factor - 1))} % more since ${since.sweep} (${since.at.slice(0, 10)})`,
  );

/** Says how a firing ended, in a sentence. */
export function textOfFiring(firing: Omit<Firing, 'text'>): string {
  const { schedule, sweep, status, totals, verdict, compared_with: before, exit_code: code } = firing;
  const name = `${schedule}${sweep === null ? '' : ` (${sweep})`}`;
  if (status === 'running') return `${name}: running`;
  const result = totals === null ? status : `${status === 'completed' ? '' : `${status}: `}${counts(totals)}`;
  const found = verdict === 'not shown' ? NOT_SHOWN : verdict;
  // A loss is named with the night on which it began.
  const compared =
    found === null || found === 'worse'
      ? ''
      : before !== null
        ? `, ${found} compared with ${before}`
        : verdict === 'not worse'
          ? ', accepted as the reference'
          : '';
  const [reason] = firing.reasons;
  return `${name}: ${result}${compared}${reason === undefined ? '' : `${verdict === 'worse' ? ', ' : ': '}${reason}`}; exit code ${code ?? ''}`;
}

const counts = ({ cells, passed, failed, errored, cancelled }: Totals): string =>
  [
    `${passed} of ${cells} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(errored > 0 ? [`${errored} could not be tested`] : []),
    ...(cancelled > 0 ? [`${cancelled} cancelled`] : []),
  ].join(', ');

/** True if the sweep of a firing can be the base of a comparison: it completed and tested something. */
export const isBaseline = ({ status, sweep, totals }: Firing): boolean =>
  status === 'completed' && sweep !== null && totals !== null && totals.passed + totals.failed > 0;

/** Returns the sweeps of the nights on which a loss has begun, as these or later nights have found. */
export const beginningsOf = (firings: readonly Firing[]): Set<string> =>
  new Set(firings.flatMap(({ nights }) => (nights?.state === 'loss' ? (nights.since?.sweep ?? []) : [])));

/**
 * Says in few words what a night has shown, as tables have it. `begun`: the sweeps of the nights on which a loss has
 * begun.
 */
export function nightText(
  { sweep, verdict, nights, exit_code }: Firing,
  reference: string | null,
  begun: ReadonlySet<string>,
): string {
  if (sweep !== null && sweep === reference) return 'reference';
  if (sweep !== null && sweep === nights?.reference) return 'earlier reference';
  const found =
    verdict === 'undecided' ? (nights?.state === 'possible loss' ? 'perhaps worse' : 'too few runs so far') : verdict;
  const text = found === 'not shown' ? NOT_SHOWN : (found ?? (exit_code === null ? '' : `exit code ${exit_code}`));
  return sweep !== null && begun.has(sweep) ? `${text}, a loss begins` : text;
}

const NOT_SHOWN = 'not shown to be worse';
