import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../../src/lib/errors/problem.js';
import { loadRubric } from '../../../src/scenario/yaml/load-yaml.js';

const rubric = (weights: readonly number[]) => `criteria:
${weights.map((weight, index) => `  - { id: c${index}, weight: ${weight}, description: something }`).join('\n')}
output: { format: json, require_fields: [scores, weighted_score] }
`;

const problemsOf = (text: string) => {
  const loaded = loadRubric('r.yaml', text);
  return loaded.ok ? [] : loaded.problems.map(formatProblem);
};

describe('loadRubric', () => {
  it.each([[[1]], [[0.5, 0.5]], [[0.333, 0.333, 0.333]], [[0.5, 0.49]], [[0.5, 0.51]], [[1, 0]]])(
    'accepts weights %j',
    (weights) => {
      expect(problemsOf(rubric(weights))).toEqual([]);
    },
  );

  it.each([
    [[0.5, 0.4], 0.9],
    [[0.5, 0.52], 1.02],
    [[0.5, 0.489], 0.989],
  ])('refuses weights %j', (weights, sum) => {
    expect(problemsOf(rubric(weights))).toEqual([
      `r.yaml:2:3 criteria: the weights sum to ${sum}; expected 1 (+-0.01)`,
    ]);
  });

  it('gives the rubric as written', () => {
    expect(loadRubric('r.yaml', rubric([1]))).toMatchObject({
      ok: true,
      value: {
        criteria: [{ id: 'c0', weight: 1, description: 'something' }],
        output: { format: 'json', require_fields: ['scores', 'weighted_score'] },
      },
    });
  });

  it('names every other problem with its place', () => {
    const text = `criteria:
  - { id: a, weight: 2, description: x }
  - { id: a, weight: 0.1, descripton: '' }
outputs: {}
`;
    expect(problemsOf(text)).toEqual([
      'r.yaml:1:1 output: missing: expected a map (format, require_fields)',
      'r.yaml:2:22 criteria[0].weight: expected a number of at most 1, got 2',
      'r.yaml:3:5 criteria[1].description: missing: expected what the criterion asks for',
      "r.yaml:3:11 criteria[1].id: criterion id 'a' is used twice; each must be unique",
      "r.yaml:3:27 criteria[1].descripton: unknown key 'descripton'; did you mean 'description'?",
      "r.yaml:4:1 outputs: unknown key 'outputs'; did you mean 'output'?",
    ]);
    expect(problemsOf('criteria: []\noutput: { format: json, require_fields: [] }\n')[0]).toBe(
      'r.yaml:1:11 criteria: expected at least 1 item, got an empty list',
    );
  });
});
