import { distance } from 'fastest-levenshtein';

/** Returns the candidate that was most likely meant by `word`; null if none is similar. The first of equals wins. */
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

/** To a person who types, `templateFolder`, `template-folder` and `template_folder` are the same word. */
const fold = (word: string): string => word.toLowerCase().replace(/[-_\s]/g, '');

/** True for `timeout` and `timeout_secs`: many edits apart, but close in meaning. */
const isStem = (a: string, b: string): boolean =>
  Math.min(a.length, b.length) >= 4 && a !== b && (a.startsWith(b) || b.startsWith(a));

/** True for `huose` and `house`: two swapped neighbours are one slip. */
function isSwapped(a: string, b: string): boolean {
  const at = a.split('').findIndex((letter, index) => letter !== b[index]);
  return at >= 0 && a.slice(0, at) + (a[at + 1] ?? '') + (a[at] ?? '') + a.slice(at + 2) === b;
}

const likeness = (a: string, b: string, limit: number): number =>
  Math.abs(a.length - b.length) > limit ? Infinity : distance(a, b);
