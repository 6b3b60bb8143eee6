import { textWidth, wrap } from '#lib';

/** The size of a text for a terminal, and how to see what does not fit. */
export interface Screen {
  /** Columns. */
  width: number;
  /** The most lines. Without it, nothing is left out. */
  height?: number;
  /** The way to see everything: "--all shows them". */
  seeAll?: string;
}

/** A part of a text that can be shown in fewer lines by leaving out items. */
export interface Part {
  /** Names of its items: `command`, `commands`. */
  items: readonly [one: string, many: string];
  /** The parts with the lowest numbers lose lines first. */
  importance: number;
  /** The number of lines that it keeps as long as less important parts have lines to lose. */
  least: number;
  /** Renders at most `room` lines, as many items as fit. */
  render(room: number): Rendered;
}

export interface Rendered {
  lines: readonly string[];
  /** Number of items that were left out. */
  leftOut: number;
}

/** An item is never divided, whatever its number of lines. */
export type Item = readonly string[];

/** A part that shows the items with the lowest ranks that fit; without ranks, it loses the last ones first. */
export const part = (
  of: Pick<Part, 'items' | 'importance' | 'least'>,
  head: Item,
  items: readonly Item[],
  rank?: (index: number) => number,
): Part => ({ ...of, render: (room) => firstItems(head, items, room, rank) });

/** The same of lines that can each be left out. */
export const linesPart = (
  name: string,
  [importance, least]: readonly [importance: number, least: number],
  head: Item,
  lines: readonly string[],
): Part =>
  part(
    { items: [name, /^line /.test(name) ? name.replace('line', 'lines') : `${name}s`], importance, least },
    head,
    lines.map((line) => [line]),
  );

/** Lines that are always shown. */
export const always = (lines: readonly string[]): Part => ({
  items: ['line', 'lines'],
  importance: Infinity,
  least: Infinity,
  render: () => ({ lines, leftOut: 0 }),
});

const linesOf = (items: readonly Item[]): string[] => items.flat();
const heightOf = (items: readonly Item[]): number => items.reduce((sum, item) => sum + item.length, 0);
const whole = (head: Item, items: readonly Item[]): Rendered => ({
  lines: items.length === 0 ? [] : [...head, ...linesOf(items)],
  leftOut: 0,
});
const nothing = (items: readonly Item[]): Rendered => ({ lines: [], leftOut: items.length });

/**
 * Renders the items with the lowest ranks (default: the first ones) that fit, in their order. There is no head without
 * items.
 */
export function firstItems(
  head: Item,
  items: readonly Item[],
  room: number,
  rank: (index: number) => number = (index) => index,
): Rendered {
  if (head.length + heightOf(items) <= room) return whole(head, items);
  let used = head.length;
  const kept = new Set<number>();
  for (const index of [...items.keys()].sort((a, b) => rank(a) - rank(b) || a - b)) {
    used += items[index]?.length ?? 0;
    if (used > room) break;
    kept.add(index);
  }
  if (kept.size === 0) return nothing(items);
  const shown = items.filter((_, index) => kept.has(index));
  return { lines: [...head, ...linesOf(shown)], leftOut: items.length - shown.length };
}

/**
 * Renders the items that fit, with a line between them where items were left out: those that are `wanted`, then those
 * nearest to both ends.
 */
export function endItems(
  head: Item,
  items: readonly Item[],
  gap: string,
  room: number,
  wanted: (index: number) => boolean = () => false,
): Rendered {
  if (head.length + heightOf(items) <= room) return whole(head, items);
  const fromEnd = (index: number): number => Math.min(2 * index, 2 * (items.length - 1 - index) + 1);
  const order = [...items.keys()].sort((a, b) => Number(wanted(b)) - Number(wanted(a)) || fromEnd(a) - fromEnd(b));
  const kept = new Set<number>();
  let shown: Item[] = [];
  for (const index of order) {
    const more = withGaps(items, new Set([...kept, index]), gap);
    if (head.length + heightOf(more) > room) break;
    kept.add(index);
    shown = more;
  }
  if (kept.size === 0) return nothing(items);
  return { lines: [...head, ...linesOf(shown)], leftOut: items.length - kept.size };
}

const withGaps = (items: readonly Item[], kept: ReadonlySet<number>, gap: string): Item[] =>
  items.flatMap((item, index): Item[] => {
    if (kept.has(index)) return [item];
    return index === 0 || kept.has(index - 1) ? [[gap]] : [];
  });

/**
 * Renders parts, one below the other. If they do not fit, it leaves out items, and says in a last line how many. Only
 * what is shown `always` can make the text longer than the screen.
 */
export function fitScreen(parts: readonly Part[], screen: Screen): string[] {
  const { height = Infinity, width } = screen;
  const all = parts.map((part) => sized(part, Infinity, width));
  if (rowsOf(all) <= height) return all.flatMap(({ lines }) => lines);
  for (let reserved = 1; ; reserved++) {
    const rendered = fit(parts, all, height - reserved, width);
    const text = noteOf(parts, rendered, screen);
    const note = text === '' ? [] : wrap(text, width);
    if (note.length <= reserved) return [...rendered.flatMap(({ lines }) => lines), ...note];
  }
}

/** A rendered part, and the rows of a terminal that it takes: measured once, because it may have thousands of lines. */
interface Sized extends Rendered {
  rows: number;
}

/** A longer line, such as a path, continues in the next row. */
function sized(part: Part, room: number, width: number): Sized {
  const rendered = part.render(room);
  const rows = rendered.lines.map((line) => Math.max(1, Math.ceil(textWidth(line) / width)));
  return { ...rendered, rows: rows.reduce((sum, count) => sum + count, 0) };
}

const rowsOf = (rendered: readonly Sized[]): number => rendered.reduce((sum, { rows }) => sum + rows, 0);

function fit(parts: readonly Part[], all: readonly Sized[], height: number, width: number): Sized[] {
  const rendered = [...all];
  const byImportance = [...parts.entries()].sort(([, a], [, b]) => a.importance - b.importance);
  const free = (): number => height - rowsOf(rendered);
  for (const leastOf of [(part: Part) => part.least, () => 0])
    for (const [index, part] of byImportance) {
      const { lines } = rendered[index] ?? { lines: [] };
      const room = Math.max(lines.length + free(), leastOf(part));
      if (room < lines.length) rendered[index] = sized(part, room, width);
    }
  // Items are not divided, so there may be lines left for others.
  for (const [index, part] of byImportance.toReversed()) {
    const { lines, leftOut } = rendered[index] ?? { lines: [], leftOut: 0 };
    if (leftOut === 0 || free() <= 0) continue;
    const larger = sized(part, lines.length + free(), width);
    const before = rendered[index];
    rendered[index] = larger;
    if (free() < 0 && before !== undefined) rendered[index] = before;
  }
  return rendered;
}

function noteOf(parts: readonly Part[], rendered: readonly Rendered[], { seeAll }: Screen): string {
  const counts = new Map<string, number>();
  for (const [index, { items }] of parts.entries()) {
    const key = items.join('\n');
    counts.set(key, (counts.get(key) ?? 0) + (rendered[index]?.leftOut ?? 0));
  }
  const named = [...counts].flatMap(([key, count]) => {
    const [one = '', many = ''] = key.split('\n');
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  });
  if (named.length === 0) return '';
  return `not shown: ${named.join(', ')}${seeAll === undefined ? '' : `; ${seeAll}`}`;
}
