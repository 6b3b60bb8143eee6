import { labelOfGate, type Judged } from './judged.js';

/** The part of evaluation.md for a person to fill in. `renderEvaluation` writes it between these headings. */
export const REVIEW_HEADING = 'Human Review';
/** The section that follows it. Notes may have headings of their own, so only this one ends them. */
export const NEXT_HEADING = 'Links';

/** The name of a criterion as the form has it. It must not end the comment that it is in. */
export const nameInForm = (criterion: string): string =>
  criterion
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .replaceAll(/--(!?)>/g, '--$1 >');

/** The form that a person fills in. It has a line for each criterion and gate that a model has judged. */
export const reviewForm = ({ criteria, gates }: Judged): string[] => [
  '<!-- Human Score: __/5 -->',
  ...criteria.map((criterion) => `<!-- Human Score of ${nameInForm(criterion)}: __/5 -->`),
  ...gates.map((gate) => `<!-- Human Verdict on ${nameInForm(labelOfGate(gate))}: __ -->`),
  '<!-- Labels: -->',
  '<!-- Reviewer: -->',
  '<!-- Further Human Notes: -->',
];

export interface Section {
  /** Index of its first line, after the heading. */
  begin: number;
  /** Index of the line after its last one. */
  end: number;
}

export const linesOf = (text: string): string[] => text.split(/\r\n|\r|\n/);

const isHeading = (line: string, title: string): boolean =>
  /^##\s/.test(line) && line.slice(2).trim().toLowerCase() === title.toLowerCase();

/** Finds the section in the lines of an evaluation.md; null if its heading is missing. */
export function findSection(lines: readonly string[]): Section | null {
  const heading = lines.findIndex((line) => isHeading(line, REVIEW_HEADING));
  if (heading === -1) return null;
  const end = lines.findLastIndex((line) => isHeading(line, NEXT_HEADING));
  return { begin: heading + 1, end: end > heading ? end : lines.length };
}

/** Returns a new evaluation.md with the review of an earlier one of the same run, which a person may have edited. */
export function keepReview(text: string, earlier: string | null): string {
  if (earlier === null) return text;
  const [lines, before] = [linesOf(text), linesOf(earlier)];
  const [section, kept] = [findSection(lines), findSection(before)];
  if (section === null || kept === null) return text;
  const review = before.slice(kept.begin, kept.end);
  return [...lines.slice(0, section.begin), ...review, ...lines.slice(section.end)].join('\n');
}
