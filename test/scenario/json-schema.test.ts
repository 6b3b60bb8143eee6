import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { z } from 'zod';
import { workspacePath, label, workspaceFile } from '../../src/input/fields.js';
import { jsonAssertion } from '../../src/gates/fields.js';
import { gateTypes } from '../../src/gates/all-gates.js';
import { Config } from '../../src/scenario/config.js';
import { jsonSchemaOf, schemaNames, type SchemaName } from '../../src/scenario/json-schema.js';

const root = join(import.meta.dirname, '..', '..');
const compiled = new Map<SchemaName, ValidateFunction>();

function compile(name: SchemaName): ValidateFunction {
  const validate = compiled.get(name) ?? new Ajv({ allErrors: true, strict: false }).compile(jsonSchemaOf(name));
  compiled.set(name, validate);
  return validate;
}

/** A place as in our own messages: `/tags/0` is `.tags[0]`. */
const placeOf = (pointer: string): string => pointer.replaceAll(/\/(\d+)/g, '[$1]').replaceAll('/', '.');

/** The problems of a value as an editor would report them. */
function complaints(name: SchemaName, value: unknown): string[] {
  const validate = compile(name);
  void validate(value);
  return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${placeOf(instancePath)} ${message}`);
}

const yamlFiles = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => ({ name, text: readFileSync(join(root, folder, name), 'utf8') }));

/** undefined for a text that is not YAML or not a tree: no schema ever sees it. */
function jsonOf(text: string): unknown {
  try {
    const value: unknown = parse(text, { resolveKnownTags: false, logLevel: 'silent' });
    return JSON.parse(JSON.stringify(value));
  } catch {
    return undefined;
  }
}

describe('the JSON Schema of scenarios', () => {
  it.each([
    ...yamlFiles('test/scenario/cases/valid'),
    ...yamlFiles('fixtures'),
    ...yamlFiles('src/commands/templates/init/fixtures'),
  ])('accepts $name, which is valid', ({ text }) => {
    expect(complaints('scenario', jsonOf(text))).toEqual([]);
  });

  // Only the check itself finds these: a schema cannot express them, or they are lost when YAML is parsed.
  const beyond = ['nul.yaml', 'tags-of-yaml.yaml', 'two-documents.yaml'];

  it.each(
    yamlFiles('test/scenario/cases/invalid')
      .map(({ name, text }) => ({ name, value: jsonOf(text) }))
      .filter(({ name, value }) => value !== undefined && !beyond.includes(name)),
  )('refuses $name, which is not valid', ({ value }) => {
    expect(complaints('scenario', value)).not.toEqual([]);
  });

  it('tells gates apart by the constant of their type, so that an editor can offer the right fields', () => {
    const gates = at(jsonSchemaOf('scenario'), 'properties.evaluation.properties.gates.items.oneOf') as {
      properties: { type: { const: string } };
      required: string[];
      additionalProperties: boolean;
    }[];
    expect(gates.map(({ properties }) => properties.type.const)).toEqual(gateTypes);
    for (const gate of gates) expect(gate).toMatchObject({ type: 'object', additionalProperties: false });
    expect(gates.every(({ required }) => required.includes('type'))).toBe(true);
  });

  it.each([
    ['a blank command', { setup: { commands: [' '] } }, '.setup.commands[0]'],
    ['a file outside the workspace', { setup: { files: { '../x': '' } } }, '.setup.files'],
    ['two equal tags', { tags: ['a', 'a'] }, '.tags'],
    ['an agent that is also a tool', { tool_matrix: [{ agent: 'a', tool: 'b' }] }, '.tool_matrix[0]'],
    ['a repetition of 0', { matrix: { repeat: 0 } }, '.matrix.repeat'],
    ['an unknown key', { evalution: {} }, ' must NOT have additional properties'],
    ['a name of two lines', { name: 'a\nb' }, '.name'],
  ])('refuses %s', (_what, part, place) => {
    const minimal = jsonOf(readFileSync(join(root, 'test/scenario/cases/valid/minimal.yaml'), 'utf8'));
    const problems = complaints('scenario', { ...(minimal as object), ...part });
    expect(problems[0]?.startsWith(place), problems.join('; ')).toBe(true);
  });
});

describe('the JSON Schemas', () => {
  it.each(schemaNames)('describe every field of a %s file in a short sentence', (name) => {
    const fields = fieldsOf(jsonSchemaOf(name), '');
    expect(fields.length).toBeGreaterThan(4);
    expect(fields.filter(({ text }) => text === '').map(({ path }) => path)).toEqual([]);
    expect(fields.filter(({ text }) => text.length > 120)).toEqual([]);
  });

  it('accept a config that the check of configs accepts, and refuse invalid ones', () => {
    const config = {
      tools: { a: { command: 'a', env: { KEY: '${KEY}' } } },
      profiles: { quick: { tools: ['a'], models: ['m'] } },
      prices: { m: { input_per_mtok: 1, output_per_mtok: 2 } },
      limits: { concurrency: 2, agents: { a: 1 } },
    };
    expect(Config.safeParse(config).success).toBe(true);
    expect(complaints('config', config)).toEqual([]);
    expect(complaints('config', { limits: { concurrency: 0 } })).toHaveLength(1);
    expect(complaints('config', { agents: { a: { comand: 'a' } } })).toHaveLength(1);
  });

  it('accept a rubric, and refuse one without criteria', () => {
    const output = { format: 'json', require_fields: [] };
    const criteria = [{ id: 'a', weight: 1, description: 'x' }];
    expect(complaints('rubric', { criteria, output })).toEqual([]);
    expect(complaints('rubric', { criteria: [], output })).not.toEqual([]);
  });
});

describe('a pattern in the JSON Schema', () => {
  const parts = fc.constantFrom(
    ...['.', '..', '/', 'a', ' ', '\n', '\t', '\u00a0', '\ufeff', 'len', '==', '>', '3', '-', 'e5', 'equals', 'exists'],
  );
  const texts = fc.oneof(
    fc.array(parts, { maxLength: 6 }).map((all) => all.join('')),
    fc.string(),
    // Each check accepts some of these; of random texts, few are assertions.
    fc.constantFrom('a', 'a/b.txt', 'exists', 'len == 3', '> 3e5', 'equals a'),
  );

  it.each<[string, z.ZodString]>([
    ['workspace path', workspacePath],
    ['file to be written', workspaceFile],
    ['name', label('a name')],
    ['assertion', jsonAssertion],
  ])('matches every %s that the check accepts', (_what, schema) => {
    const pattern = new RegExp(String(schema.meta()?.['pattern']), 'u');
    let accepted = 0;
    fc.assert(
      fc.property(texts, (text) => {
        if (!schema.safeParse(text).success) return;
        accepted += 1;
        expect(pattern.test(text), JSON.stringify(text)).toBe(true);
      }),
      { numRuns: 2000 },
    );
    expect(accepted).toBeGreaterThan(5);
  });
});

const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce((inner, key) => (inner as Record<string, unknown>)[key], value);

/** Every property that a user can write, with its description, except for the constants that tell kinds apart. */
function fieldsOf(schema: unknown, path: string): { path: string; text: string }[] {
  if (typeof schema !== 'object' || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap((inner) => fieldsOf(inner, path));
  const { properties = {}, ...rest } = schema as { properties?: Record<string, { description?: string }> };
  return [
    ...Object.entries(properties).flatMap(([key, inner]) => [
      ...('const' in inner ? [] : [{ path: `${path}.${key}`, text: inner.description ?? '' }]),
      ...fieldsOf(inner, `${path}.${key}`),
    ]),
    ...Object.entries(rest).flatMap(([key, inner]) => (key === 'default' ? [] : fieldsOf(inner, path))),
  ];
}
