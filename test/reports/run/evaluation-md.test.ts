import { describe, expect, test } from 'vitest';
import { renderEvaluation } from '../../../src/reports/run/evaluation-md.js';
import { judgment, metrics, run } from '../../model/sample.js';
import { headings } from '../markdown-shape.js';

const section = (text: string, title: string): string =>
  text.split(`## ${title}\n`)[1]?.split('\n## ')[0]?.trim() ?? '';

describe('renderEvaluation', () => {
  const evaluation = renderEvaluation(run(), metrics());

  test('has its sections in the usual order', () => {
    expect(headings(evaluation)).toEqual([
      '# Evaluation: notes',
      '## Summary',
      '## Judge Score',
      '## Metrics',
      '## Judge Feedback',
      '## Custom Evaluator Results',
      '## Human Review',
      '## Links',
    ]);
  });
  test('says that there was no judge, transcript or evaluator instead of showing zeros', () => {
    expect(section(evaluation, 'Judge Score')).toBe('Not judged: the scenario has no judge.');
    expect(section(evaluation, 'Judge Feedback')).toBe('Not judged: the scenario has no judge.');
    expect(section(evaluation, 'Metrics')).toContain('No transcript was analysed.');
    expect(section(evaluation, 'Custom Evaluator Results')).toBe('No evaluators were run.');
  });
  test('shows the judgment in fifths, each criterion, issues and highlights', () => {
    const judge = judgment({ fields: { summary: 'good enough' } });
    const text = renderEvaluation(run(), metrics({ judge }));
    expect(section(text, 'Judge Score')).toContain('**4/5** (0.78, reaches the threshold 0.70)');
    expect(section(text, 'Judge Score')).toContain('| clarity | 0.50 |');
    expect(section(text, 'Judge Feedback')).toContain('Issues:\n\n- too long\n\nHighlights:\n\nNone.');
    expect(section(text, 'Judge Feedback')).toContain('"summary": "good enough"');
    expect(section(text, 'Judge Feedback')).toMatch(/Confidence: 0\.90$/);
  });
  test.each([
    ['not_performed', 'left out by --no-judge', 'Not judged: left out by --no-judge.'],
    ['failed', 'house/x: HTTP 401', '**Could not judge:** house/x: HTTP 401'],
  ] as const)('gives the reason for a judge that is %s', (status, note, expected) => {
    const steps = [{ name: 'judge', status, duration_ms: null, attempts: 0, note }];
    const text = renderEvaluation(run({ steps }), metrics());
    expect(section(text, 'Judge Score')).toBe(expected);
    expect(section(text, 'Judge Feedback')).toBe(expected);
  });
  test('has a composite score only if one is configured', () => {
    expect(evaluation).not.toContain('Composite');
    expect(renderEvaluation(run(), metrics({ composite_score: 0.72 }))).toContain('Composite score: 0.72 (Good)');
    expect(renderEvaluation(run(), metrics({ composite_score: 0 }))).toContain('Composite score: 0.00 (Poor)');
  });
  test('keeps an unknown first-try rate apart from 0', () => {
    const efficiency = {
      total_commands: 0,
      unique_commands: 0,
      error_count: 0,
      retry_count: 0,
      help_invocations: 0,
      first_try_success_rate: null,
      iteration_ratio: 0,
    };
    expect(renderEvaluation(run(), metrics({ efficiency }))).toContain('| First-try success rate | n/a |');
  });
  test('shows what each evaluator measured, or why it failed', () => {
    const evaluator_results = [
      { name: 'size', metrics: { bytes: 12 }, score: 0.5, summary: 'small', error: null },
      { name: 'style', metrics: null, score: null, summary: null, error: 'Exit code 2: no config' },
    ];
    const text = section(renderEvaluation(run(), metrics({ evaluator_results })), 'Custom Evaluator Results');
    expect(text).toContain('### size\n\nScore: 0.50\n\nsmall\n\n```json\n{\n  "bytes": 12\n}\n```');
    expect(text).toContain('### style\n\nScore: n/a\n\n**Error:** Exit code 2: no config');
  });
  test('leaves room for a human review', () => {
    expect(section(evaluation, 'Human Review')).toBe(
      '<!-- Human Score: __/5 -->\n\n<!-- Labels: -->\n\n<!-- Reviewer: -->\n\n<!-- Further Human Notes: -->',
    );
  });
  test('links only to files of the run folder', () => {
    const links = [...evaluation.matchAll(/\]\(([^)]*)\)/g)].map((match) => match[1]);
    expect(links).toHaveLength(7);
    for (const link of links) expect(link).toMatch(/^(report\.md|metrics\.json|fixture\/|artifacts\/[\w.]+)$/);
    const artifacts = ['artifacts/judge/prompt.md', 'artifacts/judge/answer-1.json'];
    const judged = renderEvaluation(run({ judge: { model: 'a/b', rubric: 'r', artifacts } }), metrics());
    for (const path of artifacts) expect(judged).toContain(`[${path}](${path})`);
  });
});
