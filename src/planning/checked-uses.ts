import { checkedUse, type CheckedUse, type GateSpec } from '#gates';
import type { ProblemAt } from '#input';
import { type Problem, suggest } from '#lib';
import { placedGates, type Scenario } from '#scenario';
import { mcpServersOf, skillsOfSubject, type StoredSubject } from '#subjects';

/*
 * Gates on the use of a part of the subject. In a variant that lacks the part, its use cannot be demanded, and not
 * using it proves nothing, so the gate is left out there. All variants are then compared by the same checks of the
 * task.
 */

const WORDS: Readonly<Record<CheckedUse['kind'], string>> = {
  skill: 'skill',
  mcp: 'MCP server',
  subagent: 'subagent of a plugin',
  hook: 'hook of a plugin for the event',
};

/** The names of the parts of a kind. */
function namesOf(subject: readonly StoredSubject[], kind: CheckedUse['kind']): string[] {
  switch (kind) {
    case 'skill':
      return skillsOfSubject(subject);
    case 'mcp':
      return mcpServersOf(subject).map(({ name }) => name);
    case 'subagent':
      return subject.flatMap((part) => (part.kind === 'plugin' ? part.subagents : []));
    case 'hook':
      return subject.flatMap((part) => (part.kind === 'plugin' ? part.hooks : []));
  }
}

const has = (subject: readonly StoredSubject[], { kind, name }: CheckedUse): boolean => {
  const names = namesOf(subject, kind);
  return name === null ? names.length > 0 : names.includes(name);
};

/** Problems of gates that check the use of something that no variant of the scenario has. */
export function checkedUseProblems(
  scenario: Scenario,
  subjects: readonly (readonly StoredSubject[])[],
  problemAt: ProblemAt,
): Problem[] {
  const all = subjects.flat();
  return placedGates(scenario).flatMap(({ path, gate }) => {
    const use = checkedUse(gate);
    if (use === null || has(all, use)) return [];
    const { kind, name, field } = use;
    const names = namesOf(all, kind);
    if (name === null || names.length === 0)
      return [problemAt(path, `no ${WORDS[kind]} is under test; add it to the subject of the scenario`)];
    const near = suggest(name, names);
    const hint = near === null ? `the subject has ${names.join(', ')}` : `did you mean '${near}'?`;
    return [problemAt([...path, field], `the ${WORDS[kind]} '${name}' is not under test; ${hint}`)];
  });
}

/** The scenario without the gates that check the use of a part that this subject lacks. */
export function withoutIdleGates(scenario: Scenario, subject: readonly StoredSubject[]): Scenario {
  const stays = (gate: GateSpec): boolean => {
    const use = checkedUse(gate);
    return use === null || has(subject, use);
  };
  if (placedGates(scenario).every(({ gate }) => stays(gate))) return scenario;
  return {
    ...scenario,
    steps: scenario.steps.map((step) => {
      if (step.kind === 'script') return step;
      const gates = step.gates === undefined ? {} : { gates: step.gates.filter(stays) };
      const ofTurns =
        step.kind === 'conversation' && step.turn_gates !== undefined
          ? { turn_gates: step.turn_gates.filter(stays) }
          : {};
      return { ...step, ...gates, ...ofTurns };
    }),
    checks: { ...scenario.checks, gates: scenario.checks.gates.filter(stays) },
  };
}
