// Runs the scenarios, compares the sweep with that of the base branch, and writes summary, annotations and the
// comment's text.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commentText, comparisonText } from './comment-text.js';
import { decide } from './decide.js';
import { splitWords } from './split-words.js';
import { addToSummary, annotate, fail, setOutputs, variable } from './workflow.js';

const [results, branch] = [variable('RESULTS'), variable('BASE_BRANCH')];
const [baseline, margin] = [variable('BASELINE'), variable('MARGIN')];

// Before the run, whose sweep is not yet in the folder.
const listed = await tool('sweeps', '--json');
const { sweeps } = documentOf(listed.stdout);
if (sweeps === undefined) fail(`llm-tool-test sweeps exited with ${listed.code}: see the log`);
const base = baseline === '' ? baseAmong(sweeps, variable('BASE')) : baseline;
console.log(base === null ? `no sweep of ${branch} to compare with` : `base: ${base}`);

const run = await tool('run', ...splitWords(variable('ARGUMENTS')), '--json');
const { sweep, error } = documentOf(run.stdout);
if (sweep === undefined) fail(`llm-tool-test run exited with ${run.code}: ${error?.message ?? 'see the log'}`);

const sides = baseline === '' ? [base ?? '', sweep] : [sweep, '--baseline', baseline];
const limit = margin === '' ? [] : ['--margin', margin];
const compareSides = (/** @type {string[]} */ ...more) => tool('compare', ...sides, ...limit, ...more);
const compared = base === null ? null : await compareSides('--format', 'md', '--gate');
if (compared?.code === 2) fail(`llm-tool-test compare exited with 2: ${compared.stderr.trim()}`);
const result = compared === null ? '' : JSON.parse((await compareSides('--json')).stdout).gate.result;
const comparison = comparisonText(
  compared === null ? null : { markdown: compared.stdout, result },
  baseline === '' ? branch : baseline,
);
// Its annotations go to the log.
const report = (await tool('report', sweep, '--format', 'github')).stdout;
addToSummary(`${comparison}\n\n${report}`);

const comment = join(variable('RUNNER_TEMP'), 'llm-tool-test-comment.md');
const url = `${variable('GITHUB_SERVER_URL')}/${variable('GITHUB_REPOSITORY')}/actions/runs/${variable('GITHUB_RUN_ID')}`;
writeFileSync(comment, commentText({ title: variable('TITLE'), comparison, report, url }));

if (compared?.code === 4) annotate('notice', 'too few runs to tell whether the sweep is worse; see the summary');
setOutputs({
  sweep,
  base: base ?? '',
  comparison: result,
  comment,
  problem: decide({
    run: run.code,
    compare: compared?.code ?? null,
    failOnFailure: variable('FAIL_ON_FAILURE') === 'true',
    failOnWorse: variable('FAIL_ON_WORSE') === 'true',
    hasMargin: margin !== '',
  }),
});

/**
 * Runs llm-tool-test with the results folder, and shows its stderr.
 * @param {string} verb
 * @param {string[]} words
 * @returns {Promise<{code: number, stdout: string, stderr: string}>}
 */
function tool(verb, ...words) {
  const child = spawn(variable('COMMAND'), [verb, ...words, '--results', results], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // GitHub cancels a job with signals to this process; `run` then ends its agents
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.on(signal, () => child.kill(signal));
  const read = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => (read.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => {
    read.stderr += text;
    process.stderr.write(text);
  });
  return new Promise((done) => {
    child.on('error', (error) => fail(error.message));
    child.on('close', (code) => done({ code: code ?? 130, ...read }));
  });
}

/**
 * @param {string} text
 * @returns {{sweep?: string, sweeps?: {id: string, status: string}[], error?: {message: string}}}
 */
function documentOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/**
 * Returns the id of the sweep to compare with; null if there is none.
 * @param {{id: string, status: string}[]} sweeps newest first
 * @param {string} wanted the beginning of its id; empty for the newest completed one
 */
function baseAmong(sweeps, wanted) {
  const found =
    wanted === ''
      ? sweeps.find(({ status }) => status === 'completed')
      : sweeps.find(({ id }) => id.startsWith(wanted));
  if (wanted !== '' && found === undefined) fail(`no sweep in ${results} begins with ${wanted}, the input \`base\``);
  return found?.id ?? null;
}
