import { z } from 'zod';
import { check, inTextOrder, type Loaded, nonBlank, type Path, type Source } from '#input';
import { isMap } from '#lib';
import { parseYaml } from '../yaml/load-yaml.js';
import { Case, harmless, ignoredIn, toCase } from './case-fields.js';
import type { Suite, SuiteCase } from './suite.js';

/** The keys under which a suite has its cases. */
const LISTS = ['evals', 'cases', 'test_cases', 'tests', 'queries'] as const;

const head = { ...harmless, skill_name: z.string().optional(), skill: z.string().optional() };
const listUnder = (key: string) => z.strictObject({ ...head, [key]: z.array(Case) });
const prompts = z.array(nonBlank('a prompt'));
const Triggers = z.strictObject({
  ...head,
  should_trigger: prompts.optional(),
  should_not_trigger: prompts.optional(),
});

/** A form of suite: what it is recognized by, how it is checked, and where its cases are in it. */
interface Form {
  is: (value: unknown) => boolean;
  schema: z.ZodType;
  casesOf: (value: never) => SuiteCase[];
  pathOf: (index: number) => Path;
}

const listForm = (key: string): Form => ({
  is: (value) => isMap(value) && value[key] !== undefined,
  schema: listUnder(key),
  casesOf: (value: Record<string, Case[]>) => (value[key] ?? []).map(toCase),
  pathOf: (index) => [key, index],
});
const EVALS = listForm('evals');

/**
 * `evals/evals.json`, by the guide of the Agent Skills standard, comes last, so that the problems of any other file
 * name what it expects.
 */
const FORMS: readonly Form[] = [
  {
    is: Array.isArray,
    schema: z.array(Case),
    casesOf: (value: Case[]) => value.map(toCase),
    pathOf: (index) => [index],
  },
  ...LISTS.slice(1).map(listForm),
  {
    is: (value) =>
      isMap(value) && [value['should_trigger'], value['should_not_trigger']].some((one) => Array.isArray(one)),
    schema: Triggers,
    casesOf: ({ should_trigger: yes = [], should_not_trigger: no = [] }: z.infer<typeof Triggers>) =>
      [...yes.map((one) => [one, true] as const), ...no.map((one) => [one, false] as const)].map(
        ([prompt, shouldTrigger], index) => ({
          id: index + 1,
          prompt,
          files: [],
          assertions: [],
          shouldTrigger,
        }),
      ),
    pathOf: () => [],
  },
  {
    is: (value) => isMap(value) && ['prompt', 'query'].some((key) => typeof value[key] === 'string'),
    schema: Case,
    casesOf: (value: Case) => [toCase(value, 0)],
    pathOf: () => [],
  },
  EVALS,
];

/** Reads a suite in JSON. Never throws: every error is a problem with line and column in `file`. */
export function readSuite(file: string, text: string): Loaded<Suite> {
  const { source, problems } = parseYaml(file, text); // JSON is YAML
  if (source === null) return { ok: false, problems };
  const { schema, casesOf, pathOf } = FORMS.find(({ is }) => is(source.value)) ?? EVALS;
  const loaded = check(schema, source);
  if (!loaded.ok || problems.length > 0)
    return { ok: false, problems: inTextOrder([...problems, ...(loaded.ok ? [] : loaded.problems)]) };
  const cases = casesOf(loaded.value as never);
  return {
    ok: true,
    value: { skill: skillIn(source), cases, ignored: ignoredOf(source, pathOf) },
    problemAt: ([, index, ...rest], ...what) => loaded.problemAt([...pathOf(Number(index)), ...rest], ...what),
  };
}

const skillIn = ({ value }: Source): string | null => {
  const named = isMap(value) ? (value['skill_name'] ?? value['skill']) : null;
  return typeof named === 'string' ? named : null;
};

/** The keys that are ignored, each once. */
function ignoredOf({ value }: Source, pathOf: (index: number) => Path): string[] {
  const [key] = pathOf(0);
  const list: unknown = typeof key === 'string' && isMap(value) ? value[key] : value;
  return [...new Set([value, ...(Array.isArray(list) ? (list as unknown[]) : [])].flatMap(ignoredIn))];
}
