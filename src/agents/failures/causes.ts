/**
 * When an agent is run again, if ever. `never`: it would end in the same way. `if dated`: only if the provider says
 * when it serves the account again. `busy`: after a pause that grows. `limit`: when the limit resets. `start`: at once,
 * in its session.
 */
type Retry = 'never' | 'if dated' | 'busy' | 'limit' | 'start';

interface Cause {
  /** Completes the sentence "agent codex: ...". */
  why: string;
  /** The cases that the cause covers, for the reference. */
  covers: string;
  ending: 'unable' | 'gave_up';
  retry: Retry;
}

/**
 * Causes of an end that lie outside of the tool under test. With the ending `unable`, the run is an `error`, never a
 * `fail`.
 */
export const CAUSES = {
  auth: {
    why: 'its key was refused',
    covers: '401, 403; a key or login that is missing, wrong or expired',
    ending: 'unable',
    retry: 'never',
  },
  account: {
    why: 'the account has no credit or no access',
    covers: '402; no credit, plan or access, a spend cap, a suspended account',
    ending: 'unable',
    retry: 'if dated',
  },
  limit: {
    why: "the account's limit is reached",
    covers: 'a usage limit of hours, a week, a month or money',
    ending: 'unable',
    retry: 'limit',
  },
  busy: {
    why: 'its provider was busy or unavailable',
    covers: 'rate limit, overload, 408, 409, 425, 429, 5xx, an answer that breaks off',
    ending: 'unable',
    retry: 'busy',
  },
  network: {
    why: 'its provider could not be reached',
    covers: 'no network; DNS, TLS; a connection that is refused, reset or times out',
    ending: 'unable',
    retry: 'busy',
  },
  page: {
    why: 'something else answered in place of its provider',
    covers: 'a page in HTML, or another answer that is none of the API, with any status',
    ending: 'unable',
    retry: 'busy',
  },
  policy: {
    why: "its provider's policy blocked the request",
    covers: 'a refusal or content filter of the provider, an answer that is withheld',
    ending: 'unable',
    retry: 'never',
  },
  refused: {
    why: 'its provider refused the request',
    covers: 'other 4xx: an unknown model, an invalid request',
    ending: 'unable',
    retry: 'never',
  },
  killed: {
    why: 'it was killed from outside',
    covers: 'SIGKILL, SIGTERM, SIGINT or SIGHUP that is not ours: memory is short, the machine shuts down',
    ending: 'unable',
    retry: 'start',
  },
  missing: {
    why: 'its program could not be started',
    covers: 'exit status 126 or 127: the program is missing or not executable',
    ending: 'unable',
    retry: 'never',
  },
  context: {
    why: "the conversation exceeded the model's context window",
    covers: "the conversation is too long for the model's context window",
    ending: 'gave_up',
    retry: 'never',
  },
  length: {
    why: "the answer reached the model's limit of output tokens",
    covers: "an answer that is too long for the model's limit of output tokens",
    ending: 'gave_up',
    retry: 'never',
  },
} as const satisfies Record<string, Cause>;

/** A cause that is found in what the agent reports. */
export type FailureKind = Exclude<keyof typeof CAUSES, 'killed' | 'missing'>;
