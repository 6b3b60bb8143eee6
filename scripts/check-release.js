// `node scripts/check-release.js v0.1.0`: may this tag be released?
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { releaseProblems } from './release/release-problems.js';

/** @param {string} path */
const read = (path) => readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8');
const [tag = ''] = process.argv.slice(2);
const { version } = JSON.parse(read('package.json'));
const problems = releaseProblems({ tag, version, changelog: read('CHANGELOG.md') });
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`${tag} can be released`);
