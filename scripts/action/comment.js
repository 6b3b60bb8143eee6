// Comments on the pull request, or updates the comment that an earlier run has made. A job does not fail because of a
// comment.
import { readFileSync } from 'node:fs';
import { markerOf } from './comment-text.js';
import { addToSummary, annotate, variable } from './workflow.js';

/** At most this many pages of 100 comments are searched for the earlier one. */
const MAX_PAGES = 50;
const TIMEOUT_MS = 30_000;

const issues = `/repos/${variable('GITHUB_REPOSITORY')}/issues`;
try {
  const event = JSON.parse(readFileSync(variable('GITHUB_EVENT_PATH'), 'utf8'));
  const number = event.pull_request?.number;
  if (!Number.isInteger(number)) throw new Error('the event names no pull request');
  const body = readFileSync(variable('COMMENT'), 'utf8');
  const earlier = await find(number, markerOf(variable('TITLE')));
  const { html_url } =
    earlier === null
      ? await ask('POST', `${issues}/${number}/comments`, { body })
      : await ask('PATCH', `${issues}/comments/${earlier}`, { body });
  console.log(`${earlier === null ? 'commented' : 'updated the comment'}: ${html_url}`);
} catch (error) {
  const { message } = /** @type {Error} */ (error);
  const remedy = 'Workflows of forks may not comment; else give the job `permissions: pull-requests: write`.';
  annotate('warning', `could not comment on the pull request: ${message}. ${remedy}`);
  addToSummary(`> Not shown in a comment on the pull request: ${message.replace(/\s+/g, ' ')}. ${remedy}`);
}

/**
 * Finds the comment that begins with the marker. Others can write the marker too, so only comments of bots and of
 * people who may write to the repository count.
 * @param {number} number of the pull request
 * @param {string} marker
 * @returns {Promise<number | null>}
 */
async function find(number, marker) {
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const found = await ask('GET', `${issues}/${number}/comments?per_page=100&page=${page}`);
    for (const { id, body, user, author_association: association } of found)
      if (
        body?.startsWith(marker) &&
        (user?.type === 'Bot' || ['OWNER', 'MEMBER', 'COLLABORATOR'].includes(association))
      )
        return id;
    if (found.length < 100) return null;
  }
  return null;
}

/**
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>}
 */
async function ask(method, path, body) {
  const response = await fetch(variable('GITHUB_API_URL') + path, {
    method,
    headers: {
      authorization: `Bearer ${variable('TOKEN')}`,
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
      'user-agent': 'llm-tool-test',
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`GitHub answered ${response.status} to ${method} ${path.split('?')[0]}`);
  return response.json();
}
