import { graphemes, graphemeWidth, terminalText, textWidth } from './table.js';

/**
 * Breaks foreign text into harmless lines of at most `width` columns: between words, or inside a word that is longer
 * than a line. Lines of the text stay lines, without their indentation. Blank lines at its ends are dropped.
 */
export function wrap(text: string, width: number): string[] {
  const room = Math.max(2, width); // a wide character needs two columns
  return text
    .trim()
    .split(/\r?\n/)
    .flatMap((line) => wrapLine(terminalText(line), room));
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  const take = (word: string): void => {
    const longer = current === '' ? word : `${current} ${word}`;
    if (textWidth(longer, width) <= width) current = longer;
    else {
      if (current !== '') lines.push(current);
      current = word;
    }
  };
  for (const word of line.split(' ')) for (const piece of pieces(word, width)) take(piece);
  return [...lines, current];
}

/** Divides a word that is longer than a line. */
function pieces(word: string, width: number): string[] {
  if (textWidth(word, width) <= width) return [word];
  const all: string[] = [];
  let piece = '';
  let used = 0;
  for (const { segment } of graphemes(word)) {
    const columns = graphemeWidth(segment);
    if (used + columns > width) {
      all.push(piece);
      [piece, used] = ['', 0];
    }
    piece += segment;
    used += columns;
  }
  return [...all, piece];
}
