import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { gateTypes } from '../../src/gates/index.js';
import { formatProblem } from '../../src/lib/problem.js';
import { loadScenario } from '../../src/scenario/load-scenario.js';
import { Scenario } from '../../src/scenario/schema.js';

const casesOf = (kind: 'valid' | 'invalid') => {
  const folder = join(import.meta.dirname, 'cases', kind);
  return readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
};

/** `# expect: <line>:<column> <path>: <part of message>`, one a line at the top; the path is left out for the file itself. */
const expectationsOf = (text: string) =>
  [...text.matchAll(/^# expect: (\d+:\d+) (.*?)\r?$/gm)].map(([, position = '', rest = '']) => ({
    position,
    rest,
  }));

const load = (name: string, text: string) => {
  const loaded = loadScenario(name, text);
  return loaded.ok ? [] : loaded.problems.map(formatProblem);
};

describe('a valid scenario file', () => {
  const valid = casesOf('valid');

  it.each(valid)('$name is accepted', ({ name, text }) => {
    expect(load(name, text)).toEqual([]);
  });

  it('gives JSON: what Temporal carries is what was read', () => {
    for (const { name, text } of valid) {
      const loaded = loadScenario(name, text);
      if (loaded.ok) expect(JSON.parse(JSON.stringify(loaded.value))).toEqual(loaded.value);
    }
  });

  it('can be read again from its normalised form', () => {
    for (const { name, text } of valid) {
      const first = loadScenario(name, text);
      if (!first.ok) continue;
      expect(loadScenario(name, JSON.stringify(first.value))).toMatchObject({ ok: true, value: first.value });
    }
  });

  it('exists here for every field and every gate', () => {
    const texts = valid.map(({ text }) => text).join('\n');
    const unused = fieldsOf(z.toJSONSchema(Scenario, { io: 'input' })).filter(
      (field) => !new RegExp(`\\b${field}"?:`).test(texts),
    );
    expect(unused).toEqual([]);
    expect(gateTypes.filter((type) => !texts.includes(`type: ${type}`))).toEqual([]);
  });

  it('has its defaults filled in', () => {
    const text = readFileSync(join(import.meta.dirname, 'cases/valid/minimal.yaml'), 'utf8');
    expect(loadScenario('minimal.yaml', text)).toMatchObject({
      ok: true,
      value: {
        name: 'minimal',
        description: 'Only what is required.',
        template_folder: 'empty',
        target: { binary: 'taskmgr', env: {} },
        task: { prompt: 'Create a task named "demo".' },
        evaluation: { gates: [] },
        tier: 0,
        tags: [],
        setup: { commands: [], files: {} },
        scripts: { post: [], evaluators: [] },
        tool_matrix: [],
        matrix: { repeat: 1 },
        run: {},
        cost: { cache: true },
        environment: { type: 'local' },
      },
    });
  });

  it('may have a BOM and CRLF, as Windows writes it', () => {
    const text = readFileSync(join(import.meta.dirname, 'cases/valid/target-full.yaml'), 'utf8');
    const plain = loadScenario('a.yaml', text);
    expect(loadScenario('a.yaml', `\uFEFF${text.replaceAll('\n', '\r\n')}`)).toMatchObject({
      ok: true,
      value: plain.ok ? plain.value : null,
    });
  });

  it('may call an agent a tool, and name no model', () => {
    const text = readFileSync(join(import.meta.dirname, 'cases/valid/matrix.yaml'), 'utf8');
    const loaded = loadScenario('matrix.yaml', text);
    expect(loaded.ok && loaded.value.tool_matrix).toEqual([
      { agent: 'claude-code', models: ['opus', 'sonnet'] },
      { agent: 'opencode', models: ['default'] },
      { agent: 'codex', models: ['default'] },
    ]);
  });

  it('tells where a value was written, for problems that only others can find', () => {
    const text = readFileSync(join(import.meta.dirname, 'cases/valid/matrix.yaml'), 'utf8');
    const loaded = loadScenario('matrix.yaml', text);
    if (!loaded.ok) throw new Error('expected a valid file');
    expect(formatProblem(loaded.problemAt(['template_folder'], 'no such folder'))).toBe(
      'matrix.yaml:3:18 template_folder: no such folder',
    );
    expect(formatProblem(loaded.problemAt(['tool_matrix', 1, 'agent'], 'unknown agent'))).toBe(
      'matrix.yaml:10:5 tool_matrix[1].agent: unknown agent',
    );
  });
});

describe('an invalid scenario file', () => {
  it.each(casesOf('invalid'))('$name: every problem at its place', ({ name, text }) => {
    const problems = load(name, text);
    const expected = expectationsOf(text).map(({ position, rest }) => {
      const [, path = '', part = rest] = /^([\w[\]".=/]+): (.*)$/.exec(rest) ?? [];
      return { head: `${name}:${position} ${path === '' ? '' : `${path}: `}`, part };
    });
    const said = problems.map((problem, index) => {
      const wanted = expected[index];
      return wanted !== undefined && problem.startsWith(wanted.head) && problem.includes(wanted.part)
        ? wanted
        : problem;
    });
    expect(said).toEqual(expected);
  });
});

function fieldsOf(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(fieldsOf);
  if (typeof schema !== 'object' || schema === null) return [];
  const properties = 'properties' in schema ? Object.keys(schema.properties as object) : [];
  return [...new Set([...properties, ...Object.values(schema).flatMap(fieldsOf)])];
}
