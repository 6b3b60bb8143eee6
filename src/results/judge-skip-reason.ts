/** What decides whether it is worth asking the judge, who costs money. */
interface Judged {
  /** The scenario asks for a judgment whatever the gates say. */
  always: boolean;
  gates: number;
  notPassed: number;
  /** Whether the agent did. */
  completed: boolean;
}

/** Why the judge is not asked about a run that has come so far; null where it is. */
export function judgeSkipReason({ always, gates, notPassed, completed }: Judged): string | null {
  if (always) return null;
  if (notPassed > 0) return `only runs that pass all gates are judged; ${notPassed} did not pass`;
  // Without gates the agent's word is all there is: one that did not complete has failed already.
  return gates === 0 && !completed ? 'the agent did not complete, and there are no gates' : null;
}
