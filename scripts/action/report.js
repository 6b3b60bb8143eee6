// Writes summary, annotations and the comment's text: how the sweep compares with that of the base branch, and its
// report. With the address of the HTML report, each run links to its page there.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commentText } from './comment-text.js';
import { tool } from './tool.js';
import { addToSummary, setOutputs, variable } from './workflow.js';

const page = variable('PAGE');
const comparison = readFileSync(variable('COMPARISON'), 'utf8');
const link = page === '' ? [] : ['--url', page];
// Its annotations go to the log.
const { stdout: report } = await tool('report', variable('SWEEP'), '--format', 'github', ...link);
addToSummary([comparison, report, ...(page === '' ? [] : [`[HTML report](${page})`])].join('\n\n'));

const comment = join(variable('RUNNER_TEMP'), 'llm-tool-test-comment.md');
const url = `${variable('GITHUB_SERVER_URL')}/${variable('GITHUB_REPOSITORY')}/actions/runs/${variable('GITHUB_RUN_ID')}`;
writeFileSync(comment, commentText({ title: variable('TITLE'), comparison, report, url, page }));
setOutputs({ comment });
