import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';

/**
 * Returns the value of an environment variable; empty if it is not set.
 * @param {string} name
 */
export const variable = (name) => process.env[name] ?? '';

/**
 * Sets outputs of this step. The delimiter cannot be guessed, so a value cannot set another output.
 * @param {Record<string, string>} outputs
 */
export function setOutputs(outputs) {
  for (const [name, value] of Object.entries(outputs)) {
    const end = randomUUID();
    appendFileSync(variable('GITHUB_OUTPUT'), `${name}<<${end}\n${value}\n${end}\n`);
  }
}

/**
 * Adds Markdown to the summary on the page of the workflow run.
 * @param {string} markdown
 */
export const addToSummary = (markdown) => appendFileSync(variable('GITHUB_STEP_SUMMARY'), `${markdown.trimEnd()}\n\n`);

/**
 * Shows a message on the page of the workflow run.
 * @param {'error' | 'warning' | 'notice'} level
 * @param {string} message
 */
export const annotate = (level, message) =>
  console.log(`::${level}::${message.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}`);

/**
 * Ends the step because of the user's input or the machine.
 * @param {string} message
 * @returns {never}
 */
export function fail(message) {
  annotate('error', message);
  process.exit(2);
}
