import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../../src/lib/errors/problem.js';
import { loadScenarioFile } from '../../../src/scenario/yaml/read-scenario.js';
import type { ScenarioFile } from '../../../src/scenario/yaml/schema.js';
import type { Path } from '../../../src/input/source.js';
import { applyVariants } from '../../../src/scenario/yaml/apply-variants.js';

function scenario(matrix: string): ScenarioFile {
  const loaded = loadScenarioFile(
    's.yaml',
    `name: s
description: d
template_folder: base
target: {binary: cat}
task: {prompt: Do it.}
setup: {files: {a.md: of the scenario, b.md: of the scenario}}
matrix: ${matrix}
evaluation: {gates: []}
`,
  );
  if (!loaded.ok) throw new Error(loaded.problems.map(formatProblem).join());
  return loaded.value;
}

const GUIDE = `{name: guide, template_folder: other, prompt: Read AGENTS.md., files: {a.md: of the variant, c.md: new},
  env: {LEVEL: "2"}, target_binary: ../build/cat}`;

describe('a scenario without variants', () => {
  it('runs as it is, in the variant default', () => {
    const plain = scenario('{repeat: 2}');
    expect(applyVariants(plain)).toMatchObject([{ variant: 'default', file: plain, env: {}, targetBinary: null }]);
  });
});

describe('a scenario with variants', () => {
  const both = scenario(`{repeat: 2, variants: [{name: plain}, ${GUIDE}]}`);
  const [plain, guide] = applyVariants(both);

  it('runs in each of its variants instead', () => {
    expect(applyVariants(both).map(({ variant }) => variant)).toEqual(['plain', 'guide']);
  });

  it('replaces what a variant sets and keeps the rest', () => {
    expect(plain?.file).toEqual({ ...both, matrix: { repeat: 2, variants: [] } });
    expect(guide).toMatchObject({ env: { LEVEL: '2' }, targetBinary: '../build/cat' });
    expect(guide?.file).toEqual({
      ...both,
      template_folder: 'other',
      task: { ...both.task, prompt: 'Read AGENTS.md.' },
      setup: {
        ...both.setup,
        files: { 'a.md': 'of the variant', 'b.md': 'of the scenario', 'c.md': 'new' },
      },
      matrix: { repeat: 2, variants: [] },
    });
  });

  it('is the same in one variant, no matter what the others are', () => {
    expect(applyVariants(scenario(`{repeat: 2, variants: [${GUIDE}]}`))[0]?.file).toEqual(guide?.file);
  });

  it('knows the place in the file of each part of a variant', () => {
    const places: [Path, Path][] = [
      [['template_folder'], ['matrix', 'variants', 1, 'template_folder']],
      [
        ['target', 'binary'],
        ['matrix', 'variants', 1, 'target_binary'],
      ],
      [
        ['setup', 'files', 'a.md'],
        ['matrix', 'variants', 1, 'files', 'a.md'],
      ],
      [
        ['setup', 'files', 'b.md'],
        ['setup', 'files', 'b.md'],
      ],
      [
        ['task', 'context', 0],
        ['task', 'context', 0],
      ],
    ];
    for (const [path, place] of places) expect(guide?.at(path)).toEqual(place);
    expect(plain?.at(['template_folder'])).toEqual(['template_folder']);
  });
});
