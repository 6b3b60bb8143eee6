import { knownAgents } from '../agents/index.js';
import { variableNames } from '../lib/interpolate.js';
import type { Plan } from '../scenario/plan.js';

/** Names of the variables that a sweep takes from the shell: those of `${NAME}`, and the keys of its agents. */
export function neededVariables(
  targets: readonly { env: Record<string, string> }[],
  settings: Plan['agents'],
  agents: Iterable<string>,
): string[] {
  const known = knownAgents(settings);
  const names = [
    ...[...targets, ...Object.values(settings)].flatMap(({ env }) =>
      Object.values(env).flatMap(variableNames),
    ),
    ...[...agents].flatMap((name) => known.get(name)?.env ?? []),
  ];
  return [...new Set(names)];
}
