import type { Path } from '#input';
import { UsageError } from '#lib';
import type { Scenario } from '#scenario';
import type { SelectedScenario, SelectedVariant } from './select-scenarios.js';

/** A value of a task that wholly stands for a variable of the shell, perhaps with a default. */
const TEMPLATE = /^\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}$/;

/** A text as it is in our own form, where `$${` is a literal `${`. */
const literal = (text: string): string => text.replaceAll('${', () => '$${');

/**
 * Returns the scenario of a task with its variables in our own form: `${NAME}`, or a text that has none. Other
 * scenarios are as they were.
 *
 * @throws UsageError for a variable without value and default
 */
export function withVariables(
  { file, text }: Pick<SelectedScenario, 'file' | 'text'>,
  { problemAt }: Pick<SelectedVariant, 'problemAt'>,
  scenario: Scenario,
  values: Readonly<NodeJS.Dict<string>>,
): Scenario {
  const { task, checks } = scenario;
  if (task === undefined) return scenario;
  const fill = (env: Readonly<Record<string, string>>, at: Path): Record<string, string> =>
    Object.fromEntries(
      Object.entries(env).map(([name, written]) => {
        const [, variable, byDefault] = TEMPLATE.exec(written) ?? [];
        if (variable === undefined) return [name, literal(written)];
        if (values[variable] !== undefined) return [name, `\${${variable}}`];
        if (byDefault !== undefined) return [name, literal(byDefault)];
        const message = `\${${variable}} is not set; export it, use --env-file, or write a default: "\${${variable}:-...}"`;
        const problems = [problemAt([...at, name], message)];
        throw new UsageError('scenario_invalid', message, problems, new Map([[file, text]]));
      }),
    );
  const fillGates = (gates: Scenario['checks']['gates'], path: Path): Scenario['checks']['gates'] =>
    gates.map((gate, at) => (gate.type === 'verifier' ? { ...gate, env: fill(gate.env, [...path, at, 'env']) } : gate));
  return {
    ...scenario,
    task: {
      ...task,
      env: fill(task.env, ['task', 'env']),
      solution_env: fill(task.solution_env, ['task', 'solution_env']),
    },
    steps: scenario.steps.map((step, at) =>
      step.kind === 'agent' && step.gates !== undefined
        ? { ...step, gates: fillGates(step.gates, ['steps', at, 'gates']) }
        : step,
    ),
    checks: { ...checks, gates: fillGates(checks.gates, ['checks', 'gates']) },
  };
}
