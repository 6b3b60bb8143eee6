import type { Problem } from '../lib/errors/problem.js';
import type { ProblemAt } from '../scenario/problems/source.js';
import { noServer } from './find-server.js';
import type { Scenario } from '../scenario/scenario.js';

/** Finds gates about MCP servers that the scenario does not test. */
export function mcpGateProblems(
  { steps, checks, subject = [] }: Pick<Scenario, 'steps' | 'checks' | 'subject'>,
  problemAt: ProblemAt,
): Problem[] {
  const servers = subject.flatMap(({ mcp }) => mcp?.name ?? []);
  const lists = [
    ...steps.flatMap((step, at) =>
      step.kind === 'script' ? [] : [{ at: ['steps', at, 'gates'], gates: step.gates ?? [] }],
    ),
    { at: ['checks', 'gates'], gates: checks.gates },
  ];
  return lists.flatMap(({ at, gates }) =>
    gates.flatMap((gate, index) => {
      if (gate.type !== 'mcp_tool_called' && gate.type !== 'mcp_no_errors') return [];
      const { server } = gate;
      if (servers.length === 0)
        return [
          problemAt([...at, index, 'type'], 'there is nothing to check: the subject has no MCP server'),
        ];
      if (server === undefined || servers.includes(server)) return [];
      return [problemAt([...at, index, 'server'], noServer(server, servers))];
    }),
  );
}
