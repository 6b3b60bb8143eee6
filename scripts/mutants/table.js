import { applied } from './mutants-of.js';

/**
 * @typedef {import('./mutants-of.js').Mutant} Mutant
 * @typedef {{ by: string } | { survived: 'reached' | 'unreached' }} Outcome
 * @typedef {{ number: number, path: string, source: string, mutant: Mutant, outcome: Outcome }} Tested
 */

/**
 * Returns a report in Markdown: the share of mutants that a test notices, and a row for each mutant, survivors first.
 * @param {readonly Tested[]} tested
 */
export function table(tested) {
  const survivors = tested.filter(({ outcome }) => 'survived' in outcome);
  const noticed = tested.filter((one) => !survivors.includes(one));
  const share = ((100 * noticed.length) / tested.length).toFixed(1);
  return [
    `${noticed.length} of ${tested.length} mutants are noticed (${share} %).`,
    '',
    '| number | mutant | place | kind | noticed by |',
    '| --- | --- | --- | --- | --- |',
    ...[...survivors, ...noticed].map(
      (one) =>
        `| ${[one.number, changeText(one), `${one.path}:${one.mutant.line}`, one.mutant.kind, outcomeText(one.outcome)].map(escape).join(' | ')} |`,
    ),
    '',
  ].join('\n');
}

/** The changed lines before and after. @param {Tested} tested */
function changeText({ source, mutant }) {
  const start = source.lastIndexOf('\n', mutant.start) + 1;
  const end = source.indexOf('\n', mutant.end);
  const lines = source.slice(start, end === -1 ? undefined : end);
  const changed = applied(lines, { ...mutant, start: mutant.start - start, end: mutant.end - start });
  return [lines, changed].map((text) => text.replaceAll(/\s+/g, ' ').trim()).join(' → ');
}

/** @param {Outcome} outcome */
const outcomeText = (outcome) =>
  'by' in outcome ? outcome.by : outcome.survived === 'reached' ? '**survives**' : '**survives** (no test reaches it)';

/** @param {string | number} text */
const escape = (text) => `${text}`.replaceAll('\n', ' ').replaceAll('|', '\\|');
