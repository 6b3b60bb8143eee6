import { beginningOf } from '#lib';
import type { GateVerdict } from '../records/human-review.js';

type ParsedVerdict =
  | { kind: 'none' }
  | { kind: 'verdict'; verdict: GateVerdict; /** Text after the verdict. */ remark: string }
  | { kind: 'unreadable'; reason: string };

const VERDICT = /^(pass|fail)(?:ed)?(?!\w)(?:\.|\s*[,;:(].*|\s+[-–—]\s.*)?$/is;
/** Texts that people leave or write for "no verdict". */
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

/** The labels that a person gave a run. */
interface ParsedLabels {
  labels: string[];
  /** The reason why one cannot be read; null if all can. */
  problem: string | null;
}

const LABEL = /^[\p{L}\p{N}][\p{L}\p{N} ._:+/#-]{0,39}$/u;

/** Reads labels as people write them: `flaky-env, false-pass`. Each is there once. */
export function parseLabels(text: string): ParsedLabels {
  const written = text
    .normalize('NFKC')
    .split(',')
    .map((part) => part.replace(EMPHASIS, '').trim().replace(/\s+/g, ' '))
    .filter((part) => !NOTHING.test(part));
  const wrong = written.find((label) => !LABEL.test(label));
  return {
    labels: [...new Set(written.filter((label) => LABEL.test(label)))],
    problem:
      wrong === undefined
        ? null
        : `'${beginningOf(wrong, 40)}' is not a label; write short words like flaky-env, separated by commas`,
  };
}
