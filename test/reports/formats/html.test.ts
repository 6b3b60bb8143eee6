import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { html } from '../../../src/reports/formats/html.js';
import { hostile } from '../hostile.js';
import { command, gate, judgment, metrics, run } from '../../results/sample.js';
import { all, readTags, shapeOf, textOf, type Element } from './read-tags.js';
import { failed, interrupted, reported, reportOf, unread, waiting } from './sample.js';

const render = (...args: Parameters<typeof reportOf>): string => html.render(reportOf(...args));
const read = (...args: Parameters<typeof reportOf>): Element => readTags(render(...args));
const links = (page: Element): string[] => all(page, 'a').map(({ attributes }) => attributes['href'] ?? '');

describe('the page', () => {
  test('loads and runs nothing: its policy allows only its own style', () => {
    const text = render([reported(), failed()]);
    const page = readTags(text);
    const style = /<style>([^]*?)<\/style>/.exec(text)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = all(page, 'meta').find(({ attributes }) => 'http-equiv' in attributes)?.attributes[
      'content'
    ];
    expect(policy).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
    );
    expect(style).not.toMatch(/url\(|@import/);
    for (const tag of ['script', 'img', 'link', 'iframe', 'form']) expect(all(page, tag)).toEqual([]);
    expect(text).not.toMatch(/ style="| on[a-z]+="/);
  });

  test('begins with the outcomes of repetitions, each linked to its cell', () => {
    const page = read([reported({ repetition: 1 }), failed({ repetition: 2 }), waiting({ repetition: 3 })]);
    const [matrix] = all(page, 'table');
    const entry = matrix && all(matrix, 'tbody')[0];
    expect(entry && textOf(entry).trim()).toBe('notes1/2, 1 waiting');
    expect(entry && all(entry, 'a').map(({ attributes: { href, class: look } }) => [href, look])).toEqual([
      ['#cell-1', 'pass'],
      ['#cell-2', 'fail'],
      ['#cell-3', 'waiting'],
    ]);
    const ids = all(page, 'div').flatMap(({ attributes }) => attributes['id'] ?? []);
    expect(ids).toEqual(['cell-1', 'cell-2', 'cell-3']);
  });

  test('draws the shares of the outcomes side by side, without those that have no runs', () => {
    const bar = (...args: Parameters<typeof read>) => {
      const drawing = all(read(...args), 'svg').find(({ attributes }) => attributes['class'] === 'bar');
      return (
        drawing && all(drawing, 'rect').map(({ attributes: { class: look, x, width } }) => [look, x, width])
      );
    };
    const cells = [reported({ repetition: 1 }), failed({ repetition: 2 }), failed({ repetition: 3 })];
    expect(bar(cells)).toEqual([
      ['pass', '0', '1'],
      ['fail', '1', '2'],
    ]);
  });

  test('names the budget if there is one', () => {
    expect(textOf(read([reported()], { max_usd: 3 }))).toContain('of $3.00');
    expect(textOf(read([reported()], { max_usd: null }))).not.toContain(' of $');
  });

  test('shows gates, judge, evaluators, figures and other failures of each run', () => {
    const cell = reported(
      { judge_score: 0.78 },
      {
        records: {
          run: run({
            setup: [command({ command: 'make', exit_code: 2, stderr: 'no rule' })],
            warnings: ['careful'],
          }),
          metrics: metrics({
            details: [gate({ gate_type: 'script', name: 'lint', message: 'clean' })],
            judge: judgment(),
            evaluator_results: [
              { name: 'size', metrics: null, score: 0.5, summary: 'small', error: null },
              { name: 'broken', metrics: null, score: null, summary: null, error: 'exit 2' },
            ],
          }),
        },
      },
    );
    const [details] = all(read([cell]), 'details');
    const text = details === undefined ? '' : textOf(details);
    for (const part of [
      'lint',
      'clean',
      'clarity',
      'too long',
      'house/small',
      'sizesmall',
      '1.2.3',
      'careful',
    ])
      expect(text.replaceAll('0.50', '')).toContain(part);
    expect(text).toContain('evaluator error: exit 2');
    expect(text).toContain('make exit 2, 40 msno rule');
    expect(text).toContain('tokens in / outn/a / 7');
  });

  test('links to the files of the run, relative to the page', () => {
    const folder = '20260102-030405-mock-default-notes-1';
    const there = { ...reportOf([reported()]), base: '/results/reports' };
    expect(links(readTags(html.render(there))).slice(1)).toEqual(
      [
        ...['report.md', 'evaluation.md', 'artifacts/transcript.human.txt', 'artifacts/transcript.raw.txt'],
        ...['artifacts/events.jsonl', 'fixture/', 'metrics.json', 'artifacts/run.json'],
      ].map((path) => `../${folder}/${path}`),
    );
    const cell = reported({}, { records: { run: run({ agent: null }), metrics: metrics() } });
    expect(links(read([cell])).join()).not.toContain('transcript');
  });

  test('says what is gone, what has not run, and that the sweep has not ended', () => {
    const page = read([unread({}, 'its folder is gone'), waiting()], { status: 'running' });
    expect(textOf(page)).toContain('sweep s1 not finished');
    expect(textOf(page)).toContain('The sweep has not ended');
    expect(textOf(read([waiting()], { status: 'cancelled' }))).toContain('sweep s1 cancelled');
    expect(textOf(page)).toContain('Nothing more is known about this run: its folder is gone.');
    expect(textOf(page)).toContain('No result yet.');
    expect(links(page).filter((href) => !href.startsWith('#'))).toEqual([]);
    expect(textOf(read([reported()]))).not.toMatch(
      /has not ended|not finished|Nothing more is known|No result yet/,
    );
  });

  test('no text from outside breaks out of its place', () => {
    const of = (text: string): Element => {
      const regressions = [{ kind: 'cost' as const, message: text, since: text }];
      const one = command({ command: text, exit_code: 1, stdout: `x${text}` });
      const records = {
        run: run({
          ...{
            run_id: text,
            agent_name: text,
            model: text,
            started_at: text,
            warnings: [text],
            message: text,
          },
          ...{ setup: [one], post_scripts: [one], judge: { model: text, rubric: text, artifacts: [text] } },
        }),
        metrics: metrics({
          details: [gate({ gate_type: text, name: text, message: text })],
          judge: judgment({ model: text, scores: { [`x${text}`]: 1 }, issues: [text], highlights: [text] }),
          evaluator_results: [{ name: text, metrics: text, score: 1, summary: text, error: text }],
        }),
      };
      const named = { scenario: text, agent: text, model: text, results_dir: `/${text}` };
      return read(
        [
          reported({ ...named, variant: text, message: text, regressions, outcome: 'fail' }, { records }),
          unread({ message: text, variant: 'b' }, text),
        ],
        { sweep: text },
      );
    };
    const expected = shapeOf(of('xplain'));
    fc.assert(
      fc.property(
        fc.oneof(hostile, fc.constantFrom('"onload="x', "'", '\ud800', '</style>', '&#10;')),
        (text) => {
          const page = of(`x${text}`);
          expect(shapeOf(page)).toEqual(expected);
          // Relative, for any name of the folder.
          for (const href of links(page)) expect(href).toMatch(/^(#|[^:?#\\]*$)/);
        },
      ),
    );
    const title = '<script>alert("x")</script> & \'y\'';
    expect(all(of(title), 'title').map(textOf)).toEqual([`1 of 2 passed · ${title} · llm-tool-test`]);
  });
});

test('shows partly known tokens and costs as lower bounds', () => {
  const shown = textOf(read([interrupted()]));
  expect(shown.match(/at least 1,200 \/ 350/g)).toHaveLength(2);
  expect(shown).toContain('at least $0.50');
});
