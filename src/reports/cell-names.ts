import { type Cell, scenarioLabel } from '#model';

type Named = Omit<Cell, 'id'>;

/**
 * Names cells by the parts in which they differ. `about` has the other parts. A single cell is named by scenario and
 * agent.
 */
export function cellNames(cells: readonly Named[]): { nameOf: (cell: Named) => string[]; about: string } {
  const parts: ((cell: Named) => string)[] = [
    scenarioLabel,
    ({ agent, model }) => `${agent}/${model}`,
    ...(cells.some(({ repetition }) => repetition > 1) ? [({ repetition }: Named) => `#${repetition}`] : []),
  ];
  const differing = parts.filter((part) => new Set(cells.map(part)).size > 1);
  const [first] = cells;
  const [used, common] =
    differing.length === 0 ? [parts, []] : [differing, parts.filter((part) => !differing.includes(part))];
  return {
    nameOf: (cell) => used.map((part) => part(cell)),
    about: first === undefined ? '' : common.map((part) => part(first)).join(' '),
  };
}
