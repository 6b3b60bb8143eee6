import { terminalText } from '#lib';
import type { SubjectTokens } from '#model';
import type { Grid } from './grid.js';
import type { ParameterTable } from './parameter-tables.js';

/**
 * Returns the table of what subjects add to the context before the first turn, with a row for each agent and model. `sides`: what
 * base and head are called. Its texts are not escaped.
 */
export const subjectTable = (
  all: readonly SubjectTokens[] = [],
  sides: readonly [base: string, head: string] = ['without', 'with'],
): ParameterTable => {
  // what the definitions of tools take is of interest even if their tokens are unknown, or the model is told only names at first
  const hasTools = all.some(({ mcp_tools: tools }) => tools !== undefined);
  return {
    title: 'Cost of being there: tokens before the first turn',
    columns: ['subject', 'agent', ...sides, 'runs', ...(hasTools ? ['tool definitions'] : [])],
    rows: all.map((one) => [
      addedText(one),
      `${one.agent}/${one.model}`,
      ...sizes(one),
      `${runsOf(one, 'base')} and ${runsOf(one, 'head')}`,
      ...(hasTools ? [toolsText(one)] : []),
    ]),
    right: [2, 3],
  };
};

/** The same table in a comparison. */
export function subjectGrid(all: readonly SubjectTokens[] | undefined): Grid {
  const { rows, ...table } = subjectTable(all, ['base', 'head']);
  return { ...table, rows: rows.map((row) => row.map(terminalText)) };
}

/** Says it in words: "skill pdf adds 412 tokens". */
function addedText({ added, removed, difference, scenarios }: SubjectTokens): string {
  const [now, before] = [namesOf(added), namesOf(removed)];
  if (difference === null) {
    const why = scenarios.every(({ comparable }) => comparable) ? '' : ': other inputs differ too';
    return `what ${added.length > 0 ? now : before} adds is not known${why}`;
  }
  const differences = scenarios.flatMap((one) => one.difference ?? []);
  const [low, high] = [Math.min(...differences), Math.max(...differences)];
  const range = low === high ? '' : `; ${count(low)} to ${count(high)} in ${differences.length} scenarios`;
  if (removed.length === 0 && difference >= 0)
    return `${now} ${isPlural(added) ? 'add' : 'adds'} ${tokens(difference)}${range}`;
  return `${whatChanged(now, before)}: ${moreOrFewer(difference)}${range}`;
}

function toolsText({ mcp_tools: tools }: SubjectTokens): string {
  if (tools === undefined) return '';
  return `${count(tools.count)} ${tools.count === 1 ? 'tool' : 'tools'}, ${count(tools.bytes)} bytes`;
}

const whatChanged = (now: string, before: string): string =>
  before === ''
    ? `with ${now}`
    : now === ''
      ? `without ${before}`
      : now === before
        ? `changed ${now}`
        : `${now} instead of ${before}`;

const namesOf = (parts: readonly string[]): string => parts.join(' and ');
const isPlural = (parts: readonly string[]): boolean => parts.length > 1 || parts.includes('instructions');

const moreOrFewer = (difference: number): string =>
  difference === 0
    ? 'as many tokens'
    : `${tokens(Math.abs(difference))} ${difference > 0 ? 'more' : 'fewer'}`;

const tokens = (number: number): string =>
  number === 0 ? 'no tokens' : `${count(number)} ${number === 1 ? 'token' : 'tokens'}`;

/** The sizes of the first requests; of several scenarios there is no single one, since their prompts differ. */
function sizes({ scenarios }: SubjectTokens): string[] {
  const [only, ...others] = scenarios;
  if (only === undefined || others.length > 0) return ['', ''];
  return [only.base.tokens, only.head.tokens].map((size) => (size === null ? 'n/a' : count(size)));
}

/** The number of runs of which the size is known, and of all if that is not so for some. */
function runsOf({ scenarios }: SubjectTokens, side: 'base' | 'head'): string {
  const sum = (of: 'runs' | 'unknown'): number =>
    scenarios.reduce((total, scenario) => total + scenario[side][of], 0);
  const [known, unknown] = [sum('runs'), sum('unknown')];
  return unknown === 0 ? String(known) : `${known} of ${known + unknown}`;
}

const count = (number: number): string => number.toLocaleString('en');
