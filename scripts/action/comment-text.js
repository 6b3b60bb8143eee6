/** GitHub rejects comments with more than 65,536 characters. */
const MOST = 60_000;

/**
 * The first line of the comment of a title. It is not shown, and finds the comment again.
 * @param {string} title
 */
export const markerOf = (title) => `<!-- llm-tool-test: ${title.replace(/[^\w ./-]/g, '_')} -->`;

/**
 * Writes what summary and comment say besides the report: how the sweep compares with that of the base branch.
 * @param {{markdown: string, result: string} | null} comparison what `compare --format md` printed, and the result of
 *   its gate; null without a base
 * @param {string} branch the base branch, or the baseline file
 */
export function comparisonText(comparison, branch) {
  if (comparison === null)
    return `No completed sweep of ${codeSpan(branch)} is stored yet, so there is nothing to compare with.`;
  return `## Compared with ${codeSpan(branch)}: ${comparison.result}\n\n${comparison.markdown.trimEnd()}`;
}

/**
 * Writes the comment. A report that does not fit is left out, except for its headline and totals.
 * @param {{title: string, comparison: string, report: string, url: string, page?: string}} parts `page`: address of
 *   the HTML report; empty if there is none
 */
export function commentText({ title, comparison, report, url, page = '' }) {
  const links = [`[this run](${url})`, ...(page === '' ? [] : [`[HTML report](${page})`])].join(', ');
  const [headline = '', totals = ''] = report.split('\n\n');
  const write = (/** @type {string[]} */ shown) =>
    withoutMentions([markerOf(title), ...shown, `<sub>${title.replace(/[<>&]/g, '_')}: ${links}</sub>`].join('\n\n'));
  const whole = write([comparison, report.trimEnd()]);
  if (whole.length <= MOST) return whole;
  const short = write([
    comparison,
    headline,
    totals,
    'The report is too long for a comment; it is in the summary of the run.',
  ]);
  return short.length <= MOST
    ? short
    : write([headline, totals, 'The comparison and the report are in the summary of the run.']);
}

/**
 * A report quotes agents, which must not notify people.
 * @param {string} text
 */
const withoutMentions = (text) => text.replace(/@(?=[\w-])/g, '@\u200b');

/** @param {string} text */
function codeSpan(text) {
  const marks = '`'.repeat(longestRun(text) + 1);
  return `${marks}${text.startsWith('`') || text.endsWith('`') ? ` ${text} ` : text}${marks}`;
}

/** @param {string} text */
const longestRun = (text) => Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
