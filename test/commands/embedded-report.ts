import type { EmbeddedReport } from '../../src/viewer/protocol.js';

/** Returns the data in an HTML report, which its page shows. */
export function embeddedReport(html: string): EmbeddedReport {
  const json = /<script type="application\/json" id="report">(.*)<\/script>/.exec(html)?.[1];
  if (json === undefined) throw new Error('the report contains no data');
  return JSON.parse(json) as EmbeddedReport;
}
