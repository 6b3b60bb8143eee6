import { mcpServersOf } from '#subjects';
import type { EffectiveScenario, Plan } from './plan.js';
import { gatesOf } from './scenario.js';

/** The parts of a scenario that contain names. */
type ScenarioParts = Pick<EffectiveScenario, 'scenario' | 'target' | 'judge' | 'asked' | 'subject'>;

/**
 * Returns the names that identify results or appear in every report, each with the kind of thing it names. A variable
 * whose value equals one of them cannot be kept secret. `scenarios` are the scenarios of the plan whose gates,
 * evaluators, judge and so on are included.
 */
export function publicNames(
  { sweep, cells, agents, providers, scenarios: planned }: PublicPlan,
  scenarios: readonly ScenarioParts[],
): Map<string, string> {
  const names: [kind: string, names: readonly string[]][] = [
    // With and without the unique suffix; without it, the id is the value of `--name`.
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
  // Reversed, because the first kind of a name counts.
  return new Map(names.flatMap(([kind, list]) => list.map((name): [string, string] => [name, kind])).reverse());
}

type PublicPlan = Pick<Plan, 'sweep' | 'cells' | 'agents' | 'providers'> & {
  scenarios: readonly { file: string }[];
};

/** A name like `openrouter/openai/gpt-5`, each of its parts, and each of its endings (`openai/gpt-5`). */
const partsOf = (name: string): string[] => [
  name,
  ...name.split('/'),
  ...name.split('/').map((_, index, parts) => parts.slice(index).join('/')),
];

const modelNames = (model: string | undefined): string[] =>
  model === undefined ? [] : [model, model.replace(/^agent:/, '')].flatMap(partsOf);

const namesIn = ({ scenario, target, judge, asked, subject }: ScenarioParts): [string, string[]][] => [
  ['the target', target === null ? [] : partsOf(target.binary)],
  ['an MCP server', mcpServersOf(subject).map(({ name }) => name)],
  ['a tag', scenario.tags],
  ['the fixture', scenario.inputs.fixture === null ? [] : partsOf(scenario.inputs.fixture)],
  ['a gate', gatesOf(scenario).flatMap(({ gate: { name } }) => name ?? [])],
  ['an evaluator', scenario.checks.evaluators.map(({ name }) => name)],
  ['a file of the scenario', Object.keys(scenario.inputs.files).flatMap(partsOf)],
  [
    'a part of the judge',
    judge === null
      ? modelNames(asked?.model)
      : [
          ...modelNames(judge.model),
          ...partsOf(judge.rubric_file),
          ...judge.rubric.criteria.map(({ id }) => id),
          ...judge.rubric.output.require_fields,
        ],
  ],
];
