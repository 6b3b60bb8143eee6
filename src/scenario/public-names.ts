import type { EffectiveScenario, Plan } from './plan.js';

/** What of a scenario has names. */
type Named = Pick<EffectiveScenario, 'scenario' | 'target' | 'judge'>;

/**
 * What results are found by, or is read in every report, and what it is the name of. A handed-over value that equals one of
 * them cannot be kept secret. `scenarios`: those of the plan whose gates, evaluators and judge count too.
 */
export function publicNames(
  { sweep, cells, agents, providers, scenarios: planned }: PublicPlan,
  scenarios: readonly Named[],
): Map<string, string> {
  const names: [kind: string, names: readonly string[]][] = [
    // With and without what makes it unique: the latter is what `--name` says.
    ['the sweep', [sweep, sweep.replace(/-(?:[0-9a-f]{4}|[0-9a-f]{12})$/, '')]],
    ['a cell', cells.map(({ id }) => id)],
    ['a scenario', cells.map(({ scenario }) => scenario)],
    ['a variant', cells.map(({ variant }) => variant)],
    ['an agent', [...cells.map(({ agent }) => agent), ...Object.keys(agents)]],
    ['a model', cells.flatMap(({ model }) => partsOf(model))],
    ['a provider', Object.keys(providers)],
    ['a scenario file', planned.flatMap(({ file }) => partsOf(file))],
    ...scenarios.flatMap(namesIn),
  ];
  // The first kind counts.
  return new Map(
    names.flatMap(([kind, list]) => list.map((name): [string, string] => [name, kind])).reverse(),
  );
}

type PublicPlan = Pick<Plan, 'sweep' | 'cells' | 'agents' | 'providers'> & {
  scenarios: readonly { file: string }[];
};

/** `openrouter/openai/gpt-5`, and each of its parts. */
const partsOf = (name: string): string[] => [
  name,
  ...name.split('/'),
  ...name.split('/').map((_, index, parts) => parts.slice(index).join('/')),
];

const namesIn = ({ scenario, target, judge }: Named): [string, string[]][] => [
  ['the target', partsOf(target.binary)],
  ['a tag', scenario.tags],
  ['the fixture', partsOf(scenario.inputs.fixture)],
  ['a gate', scenario.checks.gates.flatMap(({ name }) => name ?? [])],
  ['an evaluator', scenario.checks.evaluators.map(({ name }) => name)],
  ['a file of the scenario', Object.keys(scenario.inputs.files).flatMap(partsOf)],
  [
    'a part of the judge',
    judge === null
      ? []
      : [
          ...[judge.model, judge.model.replace(/^agent:/, '')].flatMap(partsOf),
          ...partsOf(judge.rubric_file),
          ...judge.rubric.criteria.map(({ id }) => id),
          ...judge.rubric.output.require_fields,
        ],
  ],
];
