import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderEvaluation } from '../../../src/reports/run/evaluation-md.js';
import { renderReport } from '../../../src/reports/run/report-md.js';
import { command, gate, judgment, metrics, run } from '../../model/sample.js';
import { hostile } from '../hostile.js';
import { headings, readMarkdown, tables } from '../markdown-shape.js';

/** The table row that begins with `first`. */
const row = (text: string, first: string): string[] =>
  tables(text)
    .flat()
    .find((cells) => cells?.[0] === first) ?? [];

describe('renderReport', () => {
  const report = renderReport(run(), metrics(), null);

  test('begins with the outcome and its reason', () => {
    expect(report).toMatch(/^# pass: notes\n\n\*\*1\/1 gates passed\*\*\n/);
  });
  test('distinguishes the requested model from the one that was used', () => {
    const other = renderReport(run({ model: 'fast', agent: { ...agent(), model_used: 'fast-2026' } }), metrics(), null);
    expect(row(other, 'Model requested')).toEqual(['Model requested', 'fast']);
    expect(row(other, 'Model used')).toEqual(['Model used', 'fast-2026']);
  });
  test('says n/a, and never 0, for unknown costs and tokens', () => {
    expect(row(report, 'Agent cost')[1]).toBe('n/a');
    expect(row(report, 'Tokens')[1]).toBe('input n/a, output 7, reasoning n/a, cache read n/a, cache write n/a');
  });
  test('quotes the prompt unchanged', () => {
    const prompt = 'Do this:\n```sh\nnotes add\n```\n';
    const scenario = { ...run().scenario, prompt };
    expect(readMarkdown(renderReport(run({ scenario }), metrics(), null)).blocks).toContain(prompt.trimEnd());
  });
  test('warns about a failed setup command and shows its output', () => {
    const setup = [command(), command({ command: 'notes import', exit_code: 3, stderr: 'no such file' })];
    const text = renderReport(run({ setup }), metrics(), null);
    expect(text).toContain('1. `notes init`: exit 0, 40 ms');
    expect(text).toContain('2. **Warning, failed:** `notes import`: exit 3, 40 ms');
    expect(readMarkdown(text).blocks).toContain('no such file');
  });
  test('names a timeout and a signal instead of an exit code', () => {
    const post_scripts = [command({ exit_code: null, timed_out: true }), command({ exit_code: null })];
    const text = renderReport(run({ post_scripts }), metrics(), null);
    expect(text).toContain('`notes init`: timed out, 40 ms');
    expect(text).toContain('`notes init`: ended by a signal, 40 ms');
  });
  test('says how the binary resolved, or that it did not', () => {
    expect(report).toContain('Binary `notes`: resolved to `/usr/bin/notes`.');
    const target = {
      binary: 'notes',
      resolved: null,
      fingerprint: null,
      health_check: command({ command: 'notes -V', exit_code: 127 }),
    };
    const text = renderReport(run({ target }), metrics(), null);
    expect(text).toContain('Binary `notes`: could not be resolved.');
    expect(text).toContain('Health check `notes -V`: exit 127, 40 ms.');
  });
  test('tells how often the agent was started and how each attempt ended', () => {
    const history = ['attempt 1 ended: worker lost after 14 s; adopted'];
    const text = renderReport(run({ agent: { ...agent(), starts: 2, history } }), metrics(), null);
    expect(text).toContain('- Started: 2 times');
    expect(text).toContain(`- ${history[0] ?? ''}`);
  });
  test('says why the agent was not started', () => {
    const text = renderReport(
      run({ agent: null, outcome: 'error', message: 'health check failed: exit 1' }),
      metrics({ details: [] }),
      null,
    );
    expect(text).toContain('The agent was not started: health check failed: exit 1');
    expect(text).toContain('No gate was checked.');
  });
  test('lists every gate with its status and message', () => {
    const details = [gate(), gate({ index: 1, gate_type: 'script', name: 'lint', status: 'error', message: 'a | b' })];
    const text = renderReport(run(), metrics({ details, gates_total: 2 }), null);
    expect(row(text, '1')).toEqual(['1', 'file_exists', '', 'pass', 'notes.md exists', '3 ms']);
    expect(row(text, '2')).toEqual(['2', 'script', 'lint', '**error**', 'a \\| b', '3 ms']);
    expect(text).toContain('1 of 2 gates passed.');
  });
  test('says that a step was not performed, and why', () => {
    const steps = [
      {
        name: 'judgeRun',
        status: 'not_performed' as const,
        duration_ms: null,
        attempts: 0,
        note: 'a gate failed',
      },
    ];
    expect(row(renderReport(run({ steps }), metrics(), null), 'judgeRun')).toEqual([
      'judgeRun',
      'not performed',
      'n/a',
      '0',
      'a gate failed',
    ]);
  });
  test('shows warnings before all long sections', () => {
    const text = renderReport(run({ warnings: ['max_turns is not enforced'] }), metrics(), null);
    expect(headings(text)[1]).toBe('## Warnings');
    expect(text).toContain('- max_turns is not enforced');
    expect(headings(report)).not.toContain('## Warnings');
  });
  test('distinguishes an evaluator without a score from one that scored 0', () => {
    const none = { metrics: null, summary: null, error: null };
    const evaluator_results = [
      { ...none, name: 'a', score: null, error: 'exit 2' },
      { ...none, name: 'b', score: 0 },
    ];
    const text = renderReport(run(), metrics({ evaluator_results }), null);
    expect(row(text, 'a')).toEqual(['a', 'n/a', 'evaluator error: exit 2']);
    expect(row(text, 'b')).toEqual(['b', '0', '']);
  });
  test('links only to files of the run folder', () => {
    const links = [...report.matchAll(/\]\(([^)]*)\)/g)].map((match) => match[1]);
    expect(links).toEqual([
      'fixture/',
      'artifacts/transcript.human.txt',
      'artifacts/transcript.raw.txt',
      'artifacts/events.jsonl',
      'artifacts/run.json',
      'metrics.json',
      'evaluation.md',
    ]);
    expect(report).toContain('what the agent said and did, as text');
    expect(report).toContain('what the agent said and did, as events');
  });
  test('does not link to files that a run without workspace and agent lacks', () => {
    const unfit = run({
      agent: null,
      target: { binary: 'notes', resolved: null, fingerprint: null, health_check: null },
    });
    for (const text of [renderReport(unfit, metrics(), null), renderEvaluation(unfit, metrics())])
      expect(text).not.toMatch(/\]\((fixture|artifacts\/(transcript|events))/);
  });
});

test('no text from outside changes the structure of report.md or evaluation.md', () => {
  const full = (text: string) => {
    const one = command({ command: text, exit_code: 1, stdout: text, stderr: text });
    const given = run({
      message: text,
      model: text,
      scenario: {
        name: text,
        description: `x${text}`,
        file: text,
        hash: text,
        tier: 0,
        tags: [text],
        prompt: text,
      },
      target: { binary: text, resolved: text, fingerprint: null, health_check: one },
      judge: { model: text, rubric: text, artifacts: [] },
      agent: { ...agent(), message: text, version: text, history: [text] },
      setup: [one],
      post_scripts: [one],
      steps: [{ name: text, status: 'failed', duration_ms: 1, attempts: 2, note: text }],
      warnings: [text],
    });
    const found = metrics({
      details: [gate({ gate_type: text, name: text, message: text })],
      judge: judgment({
        model: text,
        model_used: text,
        issues: [text],
        highlights: [text],
        fields: { [text]: text },
        scores: { [`x${text}`]: 1 },
      }),
      evaluator_results: [{ name: text, metrics: { [text]: text }, score: 1, summary: text, error: text }],
    });
    return [renderReport(given, found, null), renderEvaluation(given, found)];
  };
  const shape = (markdown: string) => ({
    headings: headings(markdown).map((line) => /^#+/.exec(line)?.[0]),
    tables: tables(markdown).map((rows) => rows.map((cells) => cells?.length ?? 'parsers disagree')),
    blocks: readMarkdown(markdown).blocks.length,
    open: readMarkdown(markdown).open,
    items: readMarkdown(markdown).lines.filter((line) => /^ *(- |\d+\. )/.test(line)).length,
    html: markdown
      .match(/^<!-- .* -->$/gm)
      ?.map((line) => line.replace(/(?<=Score of ).*(?=: __\/5 -->$)/, 'a criterion')),
  });
  const expected = full('plain').map(shape);
  fc.assert(
    // Output that consists only of blanks gets no block.
    fc.property(
      hostile.map((text) => `x${text}`),
      (text) => {
        expect(full(text).map(shape)).toEqual(expected);
      },
    ),
  );
});

function agent() {
  const { agent } = run();
  if (agent === null) throw new Error('the sample has an agent');
  return agent;
}
