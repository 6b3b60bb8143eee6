import { stripVTControlCharacters } from 'node:util';

const STYLE = /\x1b\[[\d;]*m/;
const STYLES = new RegExp(STYLE, 'g');
/**
 * Letters of Latin, Greek and Cyrillic, punctuation, and the marks of our own texts: a column each, if nothing else is
 * between them.
 */
const NARROW = String.raw`\x20-\x7E\u00A1-\u00AC\u00AE-\u02FF\u0384-\u0482\u048A-\u052F\u2010-\u2027\u2713\u2717`;
const NOT_NARROW = new RegExp(`[^${NARROW}]`);
/** They and the most frequent letters of East Asia: a character each if another one of them follows, or nothing. */
const SINGLE = String.raw`[${NARROW}\u3041-\u3096\u30A1-\u30FA\u4E00-\u9FFF\uAC00-\uD7A3]`;
/**
 * Not without limit: V8 stops optimising regular expressions in a process that has compiled many, and then a loop over
 * megabytes overflows its stack.
 */
const SINGLES = new RegExp(`${SINGLE}{1,1024}(?=${SINGLE}|$)`, 'y');
const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]*$/u;
const WIDE =
  /[\p{Emoji_Presentation}\uFE0F\u1100-\u115F\u2329\u232A\u2630-\u2637\u268A-\u268F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{1B2FF}\u{1D300}-\u{1D376}\u{1F200}-\u{1F2FF}\u{1FA70}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;

/** Makes foreign text one harmless line, without escape sequences, control or direction-changing characters. */
export function terminalText(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/[\u202A-\u202E\u2066-\u2069]/g, '')
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
}

/**
 * Returns the columns that `text` takes in a terminal: none for colours, two for wide characters. Stops counting beyond
 * `most`, since a foreign text may have megabytes.
 */
export function textWidth(text: string, most = Infinity): number {
  // Nearly all text in tables is narrow, and segmenting each character of ten thousand rows takes seconds.
  if (!NOT_NARROW.test(text)) return text.length;
  const plain = text.replace(STYLES, '');
  if (!NOT_NARROW.test(plain)) return plain.length;
  let width = 0;
  for (const { segment } of graphemes(plain)) {
    width += graphemeWidth(segment);
    if (width > most) break;
  }
  return width;
}

/** Cuts `text` to at most `width` columns, with an ellipsis. Never cuts a character, never leaves a colour open. */
export function truncate(text: string, width: number): string {
  if (textWidth(text, width) <= width) return text;
  if (width < 1) return '';
  let kept = '';
  let used = 0;
  let styled = false;
  for (const part of text.split(new RegExp(`(${STYLE.source})`))) {
    if (STYLE.test(part)) {
      kept += part;
      styled = true;
      continue;
    }
    for (const { segment } of graphemes(part)) {
      used += graphemeWidth(segment);
      if (used > width - 1) return `${kept}…${styled ? '\x1b[0m' : ''}`;
      kept += segment;
    }
  }
  return kept;
}

interface TableOptions {
  /** The most columns of a line. The widest cells are cut first. Without it, nothing is cut. */
  width?: number;
  /** Numbers (from 0) of the columns that are aligned right. */
  right?: readonly number[];
  /**
   * Numbers of the columns that are never cut, such as intervals. The lines are wider than `width` if they do not fit.
   */
  whole?: readonly number[];
  /** The beginning of every line. */
  indent?: string;
}

/** Renders rows as aligned columns, two blanks apart. Cells can contain colours, and must be one line. */
export function renderTable(rows: readonly (readonly string[])[], options: TableOptions = {}): string[] {
  const { width = Infinity, right = [], whole = [], indent = '' } = options;
  const count = Math.max(0, ...rows.map((row) => row.length));
  const natural = Array.from({ length: count }, (_, at) => {
    const most = whole.includes(at) ? Infinity : width;
    return Math.max(...rows.map((row) => Math.min(most, textWidth(row[at] ?? '', most))));
  });
  const widths = shrink(natural, width - textWidth(indent) - 2 * (count - 1), whole);
  return rows.map((row) => {
    const cells = widths.map((columns, at) => {
      const cell = truncate(row[at] ?? '', columns);
      const blanks = ' '.repeat(columns - textWidth(cell));
      return right.includes(at) ? blanks + cell : cell + blanks;
    });
    const line = (indent + cells.join('  ')).trimEnd();
    return whole.length === 0 ? truncate(line, width) : line;
  });
}

/** Narrows the widest columns except `whole` until the sum fits. No column gets narrower than one. */
function shrink(natural: readonly number[], room: number, whole: readonly number[]): number[] {
  const widths = [...natural];
  const cut = widths.flatMap((_, at) => (whole.includes(at) ? [] : at));
  let excess = widths.reduce((sum, columns) => sum + columns, 0) - room;
  while (excess > 0) {
    const widest = Math.max(...cut.map((at) => widths[at] ?? 0));
    const at = cut.find((one) => widths[one] === widest);
    if (at === undefined || widest <= 1) break;
    widths[at] = widest - 1;
    excess -= 1;
  }
  return widths;
}

/** A constant, made at its first use. */
let segmenter: Intl.Segmenter | undefined;

/**
 * The amount of text that is divided at once, in UTF-16 units. The time that the segmenter takes grows with the square
 * of it.
 */
const AT_ONCE = 256;

/**
 * Divides text into characters as a reader sees them. Marks that are combined with a character beyond `AT_ONCE` are
 * given apart from it. The segmenter is slow, and takes 8 ms to create: it is only asked where characters may consist
 * of several letters.
 */
export function* graphemes(text: string): Generator<{ segment: string }> {
  for (let at = 0; at < text.length;) {
    SINGLES.lastIndex = at;
    const [singles] = SINGLES.exec(text) ?? [];
    if (singles !== undefined) {
      for (const segment of singles) yield { segment };
      at += singles.length;
      continue;
    }
    segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
    const part = text.slice(at, at + AT_ONCE);
    const isLast = at + part.length === text.length;
    const segments = Array.from(segmenter.segment(isLast ? part : part.replace(/[\uD800-\uDBFF]$/, '')));
    // The last one may go on.
    if (!isLast && segments.length > 1) segments.pop();
    for (const { segment } of segments) {
      yield { segment };
      at += segment.length;
    }
  }
}

/** Returns the columns of one character as a reader sees it. */
function graphemeWidth(grapheme: string): number {
  if (!NOT_NARROW.test(grapheme)) return grapheme.length;
  if (INVISIBLE.test(grapheme)) return 0;
  if (WIDE.test(grapheme)) return 2;
  // Terminals give each letter of a conjunct (in Devanagari, for example) a column, although it is one grapheme.
  return Math.min(2, Array.from(grapheme).filter((letter) => !INVISIBLE.test(letter)).length);
}

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
