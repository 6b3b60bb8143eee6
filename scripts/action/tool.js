import { spawn } from 'node:child_process';
import { fail, variable } from './workflow.js';

/**
 * Runs llm-tool-test with the results folder, and shows its stderr.
 * @param {string} verb
 * @param {string[]} words
 * @returns {Promise<{code: number, stdout: string, stderr: string}>}
 */
export function tool(verb, ...words) {
  const child = spawn(variable('COMMAND'), [verb, ...words, '--results', variable('RESULTS')], {
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
