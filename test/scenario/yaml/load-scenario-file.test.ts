import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../../src/lib/errors/problem.js';
import { loadScenarioFile } from '../../../src/scenario/yaml/read-scenario.js';
import { casesOf, scenarios } from '../cases.js';

describe('a valid scenario file', () => {
  it('can be read again from its normalised form', () => {
    for (const { file, text } of casesOf(scenarios, 'valid')) {
      const first = loadScenarioFile(file, text);
      if (!first.ok) continue;
      expect(loadScenarioFile(file, JSON.stringify(first.value))).toMatchObject({
        ok: true,
        value: first.value,
      });
    }
  });

  it('has its defaults filled in', () => {
    const text = readFileSync(join(import.meta.dirname, '../cases/valid/minimal.yaml'), 'utf8');
    expect(loadScenarioFile('minimal.yaml', text)).toMatchObject({
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

  it('may have a long text anywhere but in a variable, which the system limits', () => {
    const text = readFileSync(join(import.meta.dirname, '../cases/valid/minimal.yaml'), 'utf8');
    const long = 'x'.repeat(140_000);
    expect(loadScenarioFile('a.yaml', text.replace('Create', long))).toMatchObject({ ok: true });
    const loaded = loadScenarioFile('a.yaml', text.replace('taskmgr', `taskmgr\n  env: {NOTES: ${long}}`));
    expect(loaded.ok ? [] : loaded.problems.map(formatProblem)).toEqual([
      "a.yaml:6:16 target.env.NOTES: 140000 bytes, more than the system's limit of 130000; put it into a file, and its path into the variable",
    ]);
  });

  it('may have a BOM and CRLF, as from Windows', () => {
    const text = readFileSync(join(import.meta.dirname, '../cases/valid/target-full.yaml'), 'utf8');
    const plain = loadScenarioFile('a.yaml', text);
    expect(loadScenarioFile('a.yaml', `\uFEFF${text.replaceAll('\n', '\r\n')}`)).toMatchObject({
      ok: true,
      value: plain.ok ? plain.value : null,
    });
  });

  it('may call an agent a tool, and name no model', () => {
    const text = readFileSync(join(import.meta.dirname, '../cases/valid/matrix.yaml'), 'utf8');
    const loaded = loadScenarioFile('matrix.yaml', text);
    expect(loaded.ok && loaded.value.tool_matrix).toEqual([
      { agent: 'claude-code', models: ['opus', 'sonnet'] },
      { agent: 'opencode', models: [] },
      { agent: 'codex', models: [] },
    ]);
  });

  it('tells where a value was written, for problems that are found later', () => {
    const text = readFileSync(join(import.meta.dirname, '../cases/valid/matrix.yaml'), 'utf8');
    const loaded = loadScenarioFile('matrix.yaml', text);
    if (!loaded.ok) throw new Error('expected a valid file');
    expect(formatProblem(loaded.problemAt(['template_folder'], 'no such folder'))).toBe(
      'matrix.yaml:3:18 template_folder: no such folder',
    );
    expect(formatProblem(loaded.problemAt(['tool_matrix', 1, 'agent'], 'unknown agent'))).toBe(
      'matrix.yaml:10:5 tool_matrix[1].agent: unknown agent',
    );
  });
});
