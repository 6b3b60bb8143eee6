import type { CliName } from './clis.js';
import type { ScriptInput } from './model-server/script.js';

/** The end of an agent, and why it is run again, if it is. */
export type Expected = readonly [ending: string, again: string | null];

export interface Cause {
  script: ScriptInput;
  /** The address that the agent is given in place of the server's. */
  address?: (url: string) => string;
  deadlineSecs?: number;
  /** Kills the agent from outside once it has made out.txt. */
  kills?: true;
  expected: Expected;
  except?: Partial<Record<CliName, Expected>>;
}

const work = { run: 'echo hello > out.txt' };
const done = { say: 'It is done.' };
const works: ScriptInput = { steps: [work, done] };
const REGAIN = 'You have reached your specified API usage limits. You will regain access on 2026-11-29 at 00:00 UTC.';

/**
 * Causes of an end outside of the tool under test. The captures `<agent>-<cause>` were recorded by
 * `real/causes.test.ts`, with `KEEP_CAPTURES=<folder>`.
 */
export const CAUSES: Readonly<Record<string, Cause>> = {
  refusal: {
    script: { steps: [work, { say: 'I cannot help with that.', stop: 'refusal' }] },
    expected: ['unable', null],
  },
  'refusal-bare': {
    script: { steps: [work, { say: '', stop: 'refusal' }] },
    expected: ['unable', null],
  },
  length: {
    script: { steps: [work, { say: 'It is a long', stop: 'length' }] },
    expected: ['gave_up', null],
  },
  'length-bare': {
    script: { steps: [work, { say: '', stop: 'length' }] },
    expected: ['gave_up', null],
  },
  'page-200': {
    script: { ...works, faults: [{ page: 200 }] },
    deadlineSecs: 20,
    expected: ['unable', 'busy'],
  },
  'page-502': {
    script: { ...works, faults: [{ page: 502, step: 1 }] },
    deadlineSecs: 20,
    expected: ['unable', 'busy'],
  },
  'page-404': {
    script: { ...works, faults: [{ page: 404 }] },
    expected: ['unable', null],
    // It does not pass the status on.
    except: { gemini: ['unable', 'busy'] },
  },
  offline: {
    script: works,
    address: () => 'http://127.0.0.1:9',
    deadlineSecs: 20,
    expected: ['unable', 'busy'],
  },
  tls: {
    script: works,
    address: (url) => url.replace('http:', 'https:'),
    deadlineSecs: 20,
    expected: ['unable', 'busy'],
  },
  killed: {
    script: { steps: [{ run: 'echo hello > out.txt; sleep 60' }, done] },
    kills: true,
    expected: ['unable', 'killed'],
  },
  regain: {
    script: { ...works, faults: [{ error: 'bad_request', message: REGAIN }] },
    expected: ['unable', 'limit'],
  },
  // The agent waits for an answer, and reports nothing that says so: a model may think for a long time.
  silent: {
    script: { ...works, faults: [{ break: 'hang', step: 1 }] },
    deadlineSecs: 15,
    expected: ['timeout', null],
  },
};

export const expectedOf = ({ expected, except = {} }: Cause, agent: CliName): Expected => except[agent] ?? expected;
