import type { McpCall, McpRecord } from '#model';
import { checkTrajectory } from './check-trajectory.js';
import type { GateContext, Verdict } from './gate.js';

/** What was recorded of one server under test, or of all of them. */
export interface RecordedMcp {
  calls: McpCall[];
  /** Number of calls that were not kept. */
  dropped: number;
  /** What was wrong with the server, or the servers. */
  problems: string[];
  /** The parts that could not be recorded because of our own limits. */
  limits: string[];
}

/**
 * Judges what the agent did with a server, or with all of them.  The calls that
 * were not kept may be of any server.
 */
export const checkMcp = (
  context: GateContext,
  server: string | undefined,
  judge: (recorded: RecordedMcp) => Verdict,
): Promise<Verdict> => checkTrajectory(context, ({ mcp }) => judge(ofServer(mcp, server)));

function ofServer({ calls, callCount, problems }: McpRecord, server: string | undefined): RecordedMcp {
  const isWanted = (one: { server: string }): boolean => server === undefined || one.server === server;
  const [limits, faults] = [true, undefined].map((limit) =>
    problems
      .filter((one) => isWanted(one) && one.limit === limit)
      .map((one) => `${one.server}: ${one.message}`),
  );
  return {
    calls: calls.filter(isWanted),
    dropped: callCount - calls.length,
    problems: faults ?? [],
    limits: limits ?? [],
  };
}

/** What was wrong with servers, for a message; else empty. */
export const problemsNote = (problems: readonly string[]): string =>
  problems.length === 0 ? '' : `; ${problems.slice(0, 3).join('; ')}`;
