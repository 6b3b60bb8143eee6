import { plainText } from '#lib/pure';

/** A text as a page shows it at first. */
export interface CutText {
  shown: string;
  /** The part that is left out, in words; null if nothing is. */
  rest: string | null;
}

const LONGEST_LINE = 1000;

/**
 * Makes foreign text harmless and short: without terminal sequences, control characters and characters that reverse the
 * direction of text, at most `lines` lines, none of which is long.
 */
export function cutText(text: string, lines: number): CutText {
  const all = plainText(text).replace(/\s+$/, '').split('\n');
  const isLong = all.some((line) => line.length > LONGEST_LINE);
  const shown = all
    .slice(0, lines)
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line));
  const more = all.length - shown.length;
  if (more <= 0 && !isLong) return { shown: shown.join('\n'), rest: null };
  return {
    shown: shown.join('\n'),
    rest: more > 0 ? `${more} more ${more === 1 ? 'line' : 'lines'}` : 'long lines',
  };
}
