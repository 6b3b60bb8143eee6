import { beginningOf } from '#lib';

/** The maximum of a score without one: that of the template in evaluation.md. */
const DEFAULT_MAX = 5;

export type ParsedScore =
  | { kind: 'none' }
  | { kind: 'score'; points: number; max: number; /** Text after the score. */ remark: string }
  | { kind: 'unreadable'; reason: string };

const NUMBER = String.raw`\d{1,4}(?:\.\d{1,4}|,\d{1,2})?`;
const SCORE = new RegExp(
  String.raw`^(${NUMBER})(?:\s*(%)|\s*(?:\/|(?:out )?of\b)\s*(${NUMBER}))?(?:\s*(?:points?|stars?)\b)?(?!\w)(.*)$`,
  'i',
);
/** A remark after the score: in parentheses, or after a comma or a dash. Digits could be another score. */
const REMARK = /^(?:\.|\s*[,;:(]\D*|\s+[-–—]\s\D*)?$/;
/** Texts that people leave or write for "no score": the template, a dash, a question mark, n/a. */
const NOTHING = new RegExp(String.raw`^(?:[?.…–—-]*|n\/?a|none|todo|tbd)\s*(?:\/\s*${NUMBER})?$`, 'i');
const EMPHASIS = /(?<!\d)[_*\x60]+|[_*\x60]+(?!\d)/g;

const HOW = 'write a score like 4/5, 8/10 or 80%';

/** Reads a score as people write it: `4/5`, `4`, `8 / 10`, `3,5/5`, `80 %`, `4/5 (too slow)`; `__/5` is none. */
export function parseScore(text: string): ParsedScore {
  const written = text.normalize('NFKC').replace(EMPHASIS, '').trim();
  if (NOTHING.test(written)) return { kind: 'none' };
  const [, number, percent, maximum, rest = ''] = SCORE.exec(written) ?? [];
  if (number === undefined || !REMARK.test(rest))
    return unreadable(`'${beginningOf(written, 40)}' is not a score; ${HOW}, and put remarks into the notes`);
  const points = numberOf(number);
  if (percent === undefined && maximum === undefined && points > 0 && points < 1)
    return unreadable(`the maximum of ${points} is unclear; write ${points}/1 or ${points}/${DEFAULT_MAX}`);
  const max = percent !== undefined ? 100 : maximum === undefined ? DEFAULT_MAX : numberOf(maximum);
  if (max === 0) return unreadable(`a score cannot be out of 0; ${HOW}`);
  if (points > max) return unreadable(`${points} is more than the maximum of ${max}; ${HOW}`);
  return { kind: 'score', points, max, remark: rest.replace(/^[\s.,;:–—-]+/, '').trim() };
}

/** True for a line that is meant as a score, readable or not, and cannot be anything else. */
export const looksLikeScore = (text: string): boolean =>
  /^[-+]?[\d.,]+\s*(?:%|(?:\/|(?:out )?of\s)\s*[-+]?[\d.,]+)?$/i.test(text.replace(EMPHASIS, '').trim());

const unreadable = (reason: string): ParsedScore => ({ kind: 'unreadable', reason });

const numberOf = (text: string): number => Number(text.replace(',', '.'));
