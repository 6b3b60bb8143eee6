import { beginningOf } from '#lib';
import type { GateVerdict } from '../records/human-review.js';

export type ParsedVerdict =
  | { kind: 'none' }
  | { kind: 'verdict'; verdict: GateVerdict; /** Text after the verdict. */ remark: string }
  | { kind: 'unreadable'; reason: string };

const VERDICT = /^(pass|fail)(?:ed)?(?!\w)(?:\.|\s*[,;:(].*|\s+[-–—]\s.*)?$/is;
/** What people leave or write for "no verdict". */
const NOTHING = /^(?:[?._…–—-]*|n\/?a|none|todo|tbd)$/i;
const EMPHASIS = /[*\x60]+/g;

/** Reads what a person says of a gate: `pass`, `fail`, `fail (it only says so)`; `__` is none. */
export function parseVerdict(text: string): ParsedVerdict {
  const written = text.normalize('NFKC').replace(EMPHASIS, '').trim();
  if (NOTHING.test(written)) return { kind: 'none' };
  const [whole, word] = VERDICT.exec(written) ?? [];
  if (whole === undefined || word === undefined)
    return {
      kind: 'unreadable',
      reason: `'${beginningOf(written, 40)}' is not a verdict; write pass or fail, and put remarks into the notes`,
    };
  const remark = whole
    .slice(word.length)
    .replace(/^ed(?!\w)/i, '')
    .replace(/^[\s.,;:–—-]+/, '')
    .trim();
  return { kind: 'verdict', verdict: word.toLowerCase() === 'pass' ? 'pass' : 'fail', remark };
}

/** True for a line that is a verdict and nothing else. */
export const looksLikeVerdict = (text: string): boolean =>
  /^(?:pass|fail)(?:ed)?\.?$/i.test(text.replace(EMPHASIS, '').trim());
