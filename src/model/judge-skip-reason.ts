/** The facts that decide whether to ask the judge, which costs money. */
interface Judged {
  /** The scenario wants a judgment whatever the gates' results are. */
  always: boolean;
  gates: number;
  notPassed: number;
  /** True if the agent completed. */
  completed: boolean;
}

/** Returns why the judge is not asked about a run; null if it is asked. */
export function judgeSkipReason({ always, gates, notPassed, completed }: Judged): string | null {
  if (always) return null;
  if (notPassed > 0) return `only runs that pass all gates are judged; ${notPassed} did not pass`;
  // Without gates, all there is is the agent's own claim. An agent that did not complete has failed already.
  return gates === 0 && !completed ? 'the agent did not complete, and there are no gates' : null;
}
