import type { Scenario } from './scenario.js';

/** The variables of a scenario's container, of its solution and of its verifiers. `${NAME}` is one of the shell. */
export const containerVariables = ({ task, steps, checks }: Pick<Scenario, 'task' | 'steps' | 'checks'>) => [
  ...(task === undefined ? [] : [task.env, task.solution_env]),
  ...[...checks.gates, ...steps.flatMap((step) => (step.kind === 'script' ? [] : (step.gates ?? [])))].flatMap(
    (gate) => (gate.type === 'verifier' ? [gate.env] : []),
  ),
];
