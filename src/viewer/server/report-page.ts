import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EmbeddedReport } from '../protocol.js';

/**
 * Returns the page of the viewer as a single file that contains its data, so that it can be sent to others and opened without a
 * server. Its policy allows its own script and style only: it loads nothing, and nothing in the data can run.
 *
 * @param pages folder of the built page
 */
export function reportPage(report: EmbeddedReport, pages: string): string {
  const read = (name: string): string => readFileSync(join(pages, name), 'utf8');
  // In a script, this can only be in a text or a comment.
  const script = read('app.js').replaceAll('</script', '<\\/script');
  const style = read('app.css');
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${hash(script)}'`,
    `style-src 'sha256-${hash(style)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>llm-tool-test</title>
<link rel="icon" href="data:,">
<style>${style}</style>
<script type="application/json" id="report">${escaped(JSON.stringify(report))}</script>
</head>
<body>
<div id="app"><noscript>This report needs JavaScript. \`llm-tool-test report\` writes others that do not.</noscript></div>
<script type="module">${script}</script>
</body>
</html>
`;
}

const hash = (text: string): string => createHash('sha256').update(text).digest('base64');

/** JSON in which nothing can end the script element or begin a comment. */
const escaped = (json: string): string => json.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e');
