import type { LineProblem, OutputProblems } from './records/output-problems.js';

const SHOWN = 5;

/** Describes what is wrong in a line: `line 3: tool_call.id: missing, expected a string`. */
const lineProblemText = ({ start, line, message }: LineProblem): string =>
  `${start > 1 ? `start ${start}, ` : ''}line ${line}: ${message}`;

/** The warnings of a run about output that should be events: the first invalid lines, and how many more there are. */
export function outputWarnings({ lines, events, first, unread }: OutputProblems): string[] {
  const shown = first.slice(0, SHOWN);
  const more = lines - shown.length;
  return [
    ...shown.map((problem) => `agent output, ${lineProblemText(problem)}`),
    ...(more > 0 ? [`agent output: ${more} more invalid ${more === 1 ? 'line' : 'lines'}`] : []),
    ...(events === 0 && unread ? ['agent output: no events, although the agent has output = "jsonl"'] : []),
  ];
}

/** The invalid lines in the output of one run of an agent. */
export interface RunOutput {
  agent: string;
  problems: OutputProblems;
}

/** Returns a warning of a sweep for each agent whose output should be events and has invalid lines. */
export function outputsThatDoNotFit(runs: readonly RunOutput[]): string[] {
  const byAgent = new Map<string, OutputProblems[]>();
  for (const { agent, problems } of runs) byAgent.set(agent, [...(byAgent.get(agent) ?? []), problems]);
  return [...byAgent].map(([agent, found]) => {
    const runsText = `${found.length} ${found.length === 1 ? 'run' : 'runs'}`;
    const example = found.find(({ first }) => first.length > 0)?.first[0];
    const lines = found.reduce((sum, one) => sum + one.lines, 0);
    const what =
      example === undefined
        ? `no event in the output of ${runsText}`
        : `${lines} invalid ${lines === 1 ? 'line' : 'lines'} in the output of ${runsText}; ${lineProblemText(example)}`;
    return `agent ${agent}: ${what}`;
  });
}
