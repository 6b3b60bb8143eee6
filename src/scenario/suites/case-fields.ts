import { z } from 'zod';
import { always, nonBlank, workspaceFile } from '#input';
import { defined, isMap } from '#lib';
import { Assertion, containing, notContaining } from './statement.js';
import type { SuiteCase } from './suite.js';

/** Keys of suites that say nothing about what is checked. They are ignored, with a warning. */
const HARMLESS = [
  ...['version', 'schema_version', '$schema', 'description', 'name', 'title', 'eval_name', 'scorers', 'skill_path'],
  ...['author', 'category', 'comment', 'created', 'created_at', 'difficulty', 'dimension', 'generated_at', 'kind'],
  ...['metadata', 'model', 'note', 'notes', 'priority', 'rationale', 'reason', 'reasoning', 'runs', 'runs_per_query'],
  ...['skills', 'source', 'tag', 'tags', 'timeout', 'timeout_secs', 'type', 'updated', 'updated_at', 'weight'],
];
export const harmless = Object.fromEntries(HARMLESS.map((key) => [key, z.unknown().optional()]));

const PROMPTS = ['prompt', 'query', 'input', 'task', 'question'] as const;
const EXPECTED = ['expected_output', 'expected', 'expected_result', 'expected_answer'] as const;
const STATEMENTS = ['assertions', 'expectations', 'criteria', 'success_criteria', 'expected_behaviors'] as const;
export const TRIGGERS = ['should_trigger', 'should_activate', 'expected_trigger', 'trigger'] as const;

const fieldsOf = <K extends string, S extends z.ZodType>(keys: readonly K[], schema: S) =>
  Object.fromEntries(keys.map((key) => [key, schema.optional()])) as Record<K, z.ZodOptional<S>>;

const prompt = nonBlank('a prompt');
const words = z.union([z.string().transform((one) => [one]), z.array(nonBlank('a text'))]);

/** A case of a suite, under the names that such files use for its parts. */
export const Case = z
  .strictObject({
    ...harmless,
    id: z.union([z.int(), nonBlank('an id')]).exactOptional(),
    ...fieldsOf(PROMPTS, prompt),
    ...fieldsOf(EXPECTED, z.string().nullable()),
    ...fieldsOf(STATEMENTS, z.array(Assertion)),
    ...fieldsOf(TRIGGERS, z.boolean().nullable()),
    expected_behavior: z.union([z.string(), z.array(Assertion)]).exactOptional(),
    must_include: words.exactOptional(),
    must_not_include: words.exactOptional(),
    files: z
      .array(z.union([workspaceFile, z.looseObject({ path: workspaceFile }).transform(({ path }) => path)]))
      .exactOptional(),
    expected_tool: nonBlank('the name of a tool').exactOptional(),
  })
  .check(
    z.superRefine<object>((row: unknown, context) => {
      const given = isMap(row) ? PROMPTS.filter((key) => row[key] !== undefined) : PROMPTS.slice(0, 1);
      if (given.length === 0)
        context.addIssue({
          code: 'custom',
          path: ['prompt'],
          message: 'missing: expected a prompt, in the key prompt or query',
        });
      for (const second of given.slice(1))
        context.addIssue({
          code: 'custom',
          path: [second],
          message: 'a second prompt of this case; keep one',
        });
    }, always),
  );
export type Case = z.infer<typeof Case>;

/** The harmless keys that a value has, as far as they are ignored: a description is used. */
export const ignoredIn = (value: unknown): string[] =>
  isMap(value) ? Object.keys(value).filter((key) => HARMLESS.includes(key)) : [];

/** A case as it is imported. `index`: its place in the list, from 0. */
export function toCase(row: Case, index: number): SuiteCase {
  const text = (keys: readonly (keyof Case)[]): string | undefined =>
    keys.map((key) => row[key]).find((one) => typeof one === 'string' && one.trim() !== '') as string | undefined;
  const { expected_behavior: behavior = [] } = row;
  const expected = text(EXPECTED) ?? (typeof behavior === 'string' && behavior.trim() !== '' ? behavior : undefined);
  const shouldTrigger = TRIGGERS.map((key) => row[key]).find((one) => typeof one === 'boolean');
  return {
    id: row.id ?? index + 1,
    prompt: text(PROMPTS) ?? '',
    files: row.files ?? [],
    assertions: [
      ...STATEMENTS.flatMap((key) => row[key] ?? []),
      ...(typeof behavior === 'string' ? [] : behavior),
      ...(row.must_include ?? []).map(containing),
      ...(row.must_not_include ?? []).map(notContaining),
    ],
    ...defined({ expected, shouldTrigger, tool: row.expected_tool }),
  };
}
