import { plainText } from '#lib';
import { cellNamer } from '../sweep/labels.js';
import { renderMarkdown } from './md.js';
import { pageOfRun, type ReportedCell, type SweepFormat, type SweepReport } from './sweep-report.js';

/**
 * GitHub's limit for a step summary is 1 MiB, beyond which it rejects all of it. The rest is for the step's own text.
 */
const MAX_BYTES = 1_000_000;
/** GitHub shows only this many errors of a step. */
const MAX_ERRORS = 10;

/**
 * For GITHUB_STEP_SUMMARY: markdown with as many rows as fit. In a workflow, it also logs errors for GitHub to show.
 */
export const github: SweepFormat = {
  render: summary,
  appends: true,
  log: { variable: 'GITHUB_ACTIONS', lines: annotations },
};

/** Links only to the HTML report, because the files of runs cannot be reached from a workflow's page. */
function summary(report: SweepReport): string {
  let most = report.cells.length;
  let text = renderMarkdown(report, { most: Infinity, links: false });
  while (most > 0 && Buffer.byteLength(text) > MAX_BYTES) {
    most = Math.floor(most / 2);
    text = renderMarkdown(report, { most, links: false });
  }
  return text;
}

/** Returns workflow commands, one for each cell that failed or ended with an error. */
function annotations(report: SweepReport): string[] {
  const { document, cells } = report;
  const nameOf = cellNamer(document.cells);
  const failed = cells.filter(({ cell }) => cell.outcome === 'fail' || cell.outcome === 'error');
  const lineOf = (reported: ReportedCell): string => {
    const { cell } = reported;
    const page = pageOfRun(report, reported);
    const title = `${cell.outcome ?? ''}: ${nameOf(cell).join(' ')}`;
    return `::error title=${property(title)}::${data([cell.message ?? '', ...(page === null ? [] : [page])].join('\n'))}`;
  };
  const more = failed.length - MAX_ERRORS;
  return [
    ...failed.slice(0, MAX_ERRORS).map(lineOf),
    ...(more > 0 ? [`::notice::${more} more did not pass; see the summary`] : []),
  ];
}

/** Escapes text in the way that GitHub's runner decodes it. */
const data = (text: string): string =>
  plainText(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
