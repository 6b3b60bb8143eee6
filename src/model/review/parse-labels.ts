import { beginningOf } from '#lib';

/** The labels that a person gave a run. */
export interface ParsedLabels {
  labels: string[];
  /** Why one cannot be read; null if all can. */
  problem: string | null;
}

const LABEL = /^[\p{L}\p{N}][\p{L}\p{N} ._:+/#-]{0,39}$/u;
/** What people leave or write for "no label". */
const NOTHING = /^(?:[?._…–—-]*|n\/?a|none|todo|tbd)$/i;
const EMPHASIS = /[*\x60]+/g;

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
