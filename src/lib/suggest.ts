import { distance } from 'fastest-levenshtein';

/** The candidate that `word` was most likely meant to be, null when none is like it. The first of equals wins. */
export function suggest(word: string, candidates: readonly string[]): string | null {
  const typed = fold(word);
  const limit = Math.floor(typed.length / 3);
  let best: { candidate: string; cost: number } | null = null;
  for (const candidate of candidates) {
    const known = fold(candidate);
    const cost = isStem(typed, known) || isSwapped(typed, known) ? 1 : likeness(typed, known, limit);
    if (cost <= limit && cost < (best?.cost ?? Infinity)) best = { candidate, cost };
  }
  return best?.candidate ?? null;
}

/** `templateFolder`, `template-folder` and `template_folder` are one word to the person who typed it. */
const fold = (word: string): string => word.toLowerCase().replace(/[-_\s]/g, '');

/** `timeout` for `timeout_secs`: far by edits, near by meaning. */
const isStem = (a: string, b: string): boolean =>
  Math.min(a.length, b.length) >= 4 && a !== b && (a.startsWith(b) || b.startsWith(a));

/** `huose` for `house`: two neighbours in the wrong order are one slip. */
function isSwapped(a: string, b: string): boolean {
  const at = a.split('').findIndex((letter, index) => letter !== b[index]);
  return at >= 0 && a.slice(0, at) + (a[at + 1] ?? '') + (a[at] ?? '') + a.slice(at + 2) === b;
}

const likeness = (a: string, b: string, limit: number): number =>
  Math.abs(a.length - b.length) > limit ? Infinity : distance(a, b);
