import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseConfig } from '../../src/scenario/config.js';
import { loadMatrix } from '../../src/scenario/eliza/matrix.js';
import { readScenario } from '../../src/scenario/eliza/to-scenario.js';
import { loadScenarioFile } from '../../src/scenario/yaml/read-scenario.js';
import { loadRubric } from '../../src/scenario/yaml/load-yaml.js';
import { ScenarioFile } from '../../src/scenario/yaml/schema.js';
import { REPOSITORY } from '../commands/project.js';
import { blocks, documents, type Block } from './documents.js';

const LEAST = {
  name: 'x',
  description: 'x',
  template_folder: 'x',
  target: { binary: 'x' },
  task: { prompt: 'x' },
  evaluation: { gates: [] },
};

/** Documents show parts of files: each part is put in its place in a whole file, which is checked. */
function problemsOf({ place, text }: Block): unknown[] {
  const value: unknown = parse(text);
  if (value === null) return [];
  if (Array.isArray(value)) return check({ ...LEAST, evaluation: { gates: value } });
  const keys = Object.keys(value as object);
  if (keys.includes('jobs')) return []; // test/documents/actions.test.ts
  if (keys.includes('criteria')) return results(loadRubric(place, text));
  if (keys.includes('template_folder')) return results(loadScenarioFile(place, text));
  if (keys.includes('base_scenario')) return results(loadMatrix(place, text));
  if (['judgment', 'character'].some((key) => keys.includes(key))) return results(readScenario(place, text));
  if (keys.includes('command_pattern')) return check({ ...LEAST, target: { ...LEAST.target, ...(value as object) } });
  if (keys.every((key) => key in ScenarioFile.shape)) return check({ ...LEAST, ...(value as object) });
  return [`${place}: neither a scenario, a part of one, a rubric nor a workflow: ${keys.join(', ')}`];
}

const check = (scenario: object): unknown[] => results(loadScenarioFile('block', JSON.stringify(scenario)));
const results = (loaded: { ok: true } | { ok: false; problems: unknown[] }): unknown[] =>
  loaded.ok ? [] : loaded.problems;

describe('the blocks in the documents', () => {
  test.each(blocks('yaml').map((block) => [block.place, block] as const))('%s is valid', (_, block) => {
    expect(problemsOf(block)).toEqual([]);
  });

  test.each(blocks('toml').map((block) => [block.place, block] as const))('%s is a valid config', (_, block) => {
    expect(results(parseConfig(block.place, block.text))).toEqual([]);
  });

  test('can be parsed if they are JSON', () => {
    for (const { place, text } of blocks('json')) expect(() => JSON.parse(text) as unknown, place).not.toThrow();
  });
});

const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replace(/\s/g, '-');

const anchorsIn = (path: string): string[] =>
  [
    ...readFileSync(path, 'utf8')
      .replace(/^```[^]*?^```$/gm, '')
      .matchAll(/^#+ (.+)$/gm),
  ].map(([, heading = '']) => anchorOf(heading));

describe('the links in the documents', () => {
  test.each(documents.map((document) => [document.path, document] as const))('%s', (_, { path, text }) => {
    const links = [...text.replace(/^```[^]*?^```$/gm, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const broken = links
      .filter((link) => !/^https?:/.test(link))
      .filter((link) => {
        const [file = '', anchor] = link.split('#');
        const target = file === '' ? join(REPOSITORY, path) : join(REPOSITORY, dirname(path), file);
        return !existsSync(target) || (anchor !== undefined && !anchorsIn(target).includes(anchor));
      });
    expect(broken).toEqual([]);
  });

  test('lead from the README to the index and from there to every page', () => {
    const textOf = (wanted: string) => documents.find(({ path }) => path === wanted)?.text ?? '';
    expect(textOf('README.md')).toContain('](specs/README.md)');
    const index = textOf('specs/README.md');
    const pages = documents.map(({ path }) => path.replace(/^specs\//, ''));
    const inSpecs = pages.filter((page, at) => page !== documents[at]?.path && page !== 'README.md');
    expect(inSpecs.length).toBeGreaterThan(15);
    expect(inSpecs.filter((page) => !index.includes(`](${page})`))).toEqual([]);
  });
});
