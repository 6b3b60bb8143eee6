// Runs the scenarios, compares the sweep with that of the base branch, and writes the HTML report.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { comparisonText } from './comment-text.js';
import { decide, newestWhole, shardName } from './decide.js';
import { splitWords } from './split-words.js';
import { tool } from './tool.js';
import { annotate, fail, setOutputs, variable } from './workflow.js';

const [results, branch] = [variable('RESULTS'), variable('BASE_BRANCH')];
const [baseline, margin] = [variable('BASELINE'), variable('MARGIN')];
const words = splitWords(variable('ARGUMENTS'));

const isCapped = words.some((word) => /^--max-usd(=|$)/.test(word)) || variable('LLM_TOOL_TEST_BUDGET_USD') !== '';
if (variable('LLM_TOOL_TEST_ENABLED') === '1' && !isCapped)
  fail('agents that cost money are enabled without a limit: add `--max-usd` to the input `arguments`');

// Before the run, whose sweep is not yet in the folder.
const listed = await tool('sweeps', '--json');
const { sweeps } = documentOf(listed.stdout);
if (sweeps === undefined) fail(`llm-tool-test sweeps exited with ${listed.code}: see the log`);
const base = baseline === '' ? baseAmong(sweeps, variable('BASE')) : baseline;
console.log(base === null ? `no sweep of ${branch} to compare with` : `base: ${base}`);

const own = variable('OWN_RESULTS');
const merged = variable('MERGE');
const more = [
  ...(existsSync(own) ? [own] : []),
  ...(merged === '' ? [] : readdirSync(merged).map((name) => unpack(join(merged, name, 'results.tar')))),
];
if (more.length > 0) {
  const { code, stderr } = await tool('merge', ...more);
  if (code !== 0) fail(`llm-tool-test merge exited with ${code}: ${stderr.trim()}`);
}

const shard = variable('SHARD');
const part = shard === '' ? [] : ['--shard', shard, '--name', shardName(shard)];
const run = await tool('run', ...words, ...part, '--json');
const { sweep, error } = documentOf(run.stdout);
if (sweep === undefined) fail(`llm-tool-test run exited with ${run.code}: ${error?.message ?? 'see the log'}`);
const slug = variable('TITLE').replace(/[^\w.-]+/g, '-');
if (shard !== '') {
  // The job that merges the shards decides.
  setOutputs({
    shard: `${slug}-${shardName(shard)}`,
    problem: run.code === 130 ? 'the sweep was interrupted' : '',
  });
  process.exit(0);
}

const sides = baseline === '' ? [base ?? '', sweep] : [sweep, '--baseline', baseline];
const limit = margin === '' ? [] : ['--margin', margin];
const compareSides = (/** @type {string[]} */ ...more) => tool('compare', ...sides, ...limit, ...more);
const compared = base === null ? null : await compareSides('--format', 'md', '--gate');
if (compared?.code === 2) fail(`llm-tool-test compare exited with 2: ${compared.stderr.trim()}`);
const result = compared === null ? '' : JSON.parse((await compareSides('--json')).stdout).gate.result;
// A variable of the environment would have to be short.
const comparison = join(variable('RUNNER_TEMP'), 'llm-tool-test-comparison.md');
writeFileSync(
  comparison,
  comparisonText(compared === null ? null : { markdown: compared.stdout, result }, baseline === '' ? branch : baseline),
);
// The name of the file is that of the artifact.
const page = join(variable('RUNNER_TEMP'), `${slug}-report.html`);
const written = await tool('report', sweep, '--format', 'html', '--output', page);

if (compared?.code === 4) annotate('notice', 'too few runs to tell whether the sweep is worse; see the summary');
setOutputs({
  sweep,
  base: base ?? '',
  comparison: result,
  text: comparison,
  page: written.code === 0 ? page : '',
  problem: decide({
    run: run.code,
    compare: compared?.code ?? null,
    failOnFailure: variable('FAIL_ON_FAILURE') === 'true',
    failOnWorse: variable('FAIL_ON_WORSE') === 'true',
    hasMargin: margin !== '',
  }),
});

/**
 * Unpacks the results of a shard into a folder of its own.
 * @param {string} archive
 * @returns {string} the folder
 */
function unpack(archive) {
  const folder = mkdtempSync(join(variable('RUNNER_TEMP'), 'llm-tool-test-shard-'));
  const { status } = spawnSync('tar', ['-xf', archive, '-C', folder], { stdio: 'inherit' });
  if (status !== 0)
    fail(`${archive} cannot be unpacked; the input \`merge\` names a folder with what shards have uploaded`);
  return folder;
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
 * @param {string} wanted the beginning of its id; empty for the newest one that is completed and whole
 */
function baseAmong(sweeps, wanted) {
  const found = wanted === '' ? newestWhole(sweeps) : sweeps.find(({ id }) => id.startsWith(wanted));
  if (wanted !== '' && found === undefined) fail(`no sweep in ${results} begins with ${wanted}, the input \`base\``);
  return found?.id ?? null;
}
