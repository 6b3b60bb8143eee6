/** The differences between agents in what they print. */
export interface AcpReading {
  /**
   * The tokens in the answer to a prompt: of the `turn`; of the process so far (`session`); of the `last` request, so
   * that the others are unknown. `chunk`: of each request, in a piece of its message. `none`: none, or nobody knows.
   */
  usage: 'turn' | 'session' | 'last' | 'chunk' | 'none';
  /** With `session`: true if the totals go on when the session is resumed, rather than from zero. */
  keepsTotals?: true;
  /** True if its totals leave out requests without a sign of it. */
  undercounts?: true;
  /** The beginning of a message by which the agent, and not the model, says that its provider did not serve it. */
  failed: RegExp;
  /** True if it ends a turn that was not served as one that was refused. */
  failsAsRefusal?: true;
  /** True if nobody has tried the agent: such a text counts only as the whole answer, and no tokens are expected. */
  isUntried?: true;
  /** An exit status in the text of a result that failed. A command of this agent that succeeded has status 0. */
  exit?: RegExp;
  /** As `exit`, but the agent states the status of every command. */
  everyExit?: RegExp;
  /** True if it reports failed commands as successes, and no exit status. */
  hidesFailures?: true;
  /** True if it does not report the end of every call. */
  leavesCallsOpen?: true;
  /** True if its questions for permission have ids of their own, instead of those of the calls. */
  asksApart?: true;
  /** True if `usage_update` has the dollars of all its requests so far. */
  cost?: true;
  /** The HTTP statuses that codes of errors stand for. */
  statuses?: Readonly<Record<number, number>>;
}
