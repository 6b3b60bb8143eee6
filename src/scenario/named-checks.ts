import type { GateSpec } from '#gates';
import type { Path } from '#input';
import type { Scenario } from './scenario.js';

/** Something that a scenario names in its checks folder. */
export interface NamedCheck {
  /** The place in the scenario that names it. */
  path: Path;
  /** Path in the checks folder; null if only the folder is named, or the path cannot be read from the command. */
  file: string | null;
  /** True if a gate compares something with it. */
  isExpected: boolean;
}

/** A command of a gate or evaluator, and its place in the scenario. */
export interface CheckCommand {
  path: Path;
  command: string;
}

/** Gates with their places in the scenario. */
export function placedGates({ steps, checks }: Pick<Scenario, 'steps' | 'checks'>): {
  path: Path;
  gate: GateSpec;
}[] {
  const inList = (path: Path, gates: readonly GateSpec[] = []) =>
    gates.map((gate, index) => ({ path: [...path, index], gate }));
  return [
    ...steps.flatMap((step, at) =>
      step.kind === 'script'
        ? []
        : [
            ...(step.kind === 'conversation' ? inList(['steps', at, 'turn_gates'], step.turn_gates) : []),
            ...inList(['steps', at, 'gates'], step.gates),
          ],
    ),
    ...inList(['checks', 'gates'], checks.gates),
  ];
}

/** The commands of gates and evaluators. */
export const checkCommands = (scenario: Pick<Scenario, 'steps' | 'checks'>): CheckCommand[] => [
  ...placedGates(scenario).flatMap(({ path, gate }) =>
    'command' in gate ? [{ path: [...path, 'command'], command: gate.command }] : [],
  ),
  ...scenario.checks.evaluators.flatMap(({ command }, index) =>
    command === undefined ? [] : [{ path: ['checks', 'evaluators', index, 'command'], command }],
  ),
];

/** The agent scripts that gates and evaluators call. */
export const placedAgentScripts = (scenario: Pick<Scenario, 'steps' | 'checks'>): { path: Path; script: string }[] => [
  ...placedGates(scenario).flatMap(({ path, gate }) =>
    gate.type === 'agent_script' ? [{ path: [...path, 'script'], script: gate.script }] : [],
  ),
  ...scenario.checks.evaluators.flatMap(({ script }, index) =>
    script === undefined ? [] : [{ path: ['checks', 'evaluators', index, 'script'], script }],
  ),
];

/** The variable, and the literal path after it up to what may end a word of a shell command. */
const NAMED =
  /\$(?:\{LLM_TOOL_TEST_CHECKS\}|LLM_TOOL_TEST_CHECKS(?!\w))"?(\/[^\s"'`;|&<>()\\$*?[\]{}]*)?([\\$*?[{`])?/g;

/** The paths in the checks folder that a command names literally; null for each other use of the folder. */
export const pathsInChecks = (command: string): (string | null)[] =>
  [...command.matchAll(NAMED)].map(([, path = '', open]) => {
    const file = path.replace(/^\/+/, '').replace(/\/+$/, '');
    return file === '' || open !== undefined ? null : file;
  });

/** Everything that gates and evaluators name in the checks folder. */
export const namedChecks = (scenario: Pick<Scenario, 'steps' | 'checks'>): NamedCheck[] => [
  ...checkCommands(scenario).flatMap(({ path, command }) =>
    pathsInChecks(command).map((file) => ({ path, file, isExpected: false })),
  ),
  ...placedGates(scenario).flatMap(({ path, gate }) =>
    gate.type === 'file_equals' ? [{ path: [...path, 'expected'], file: gate.expected, isExpected: true }] : [],
  ),
  ...placedGates(scenario).flatMap(({ path, gate }) =>
    gate.type === 'verifier'
      ? gate.tests.map((file, at) => ({ path: [...path, 'tests', at], file, isExpected: false }))
      : [],
  ),
];
