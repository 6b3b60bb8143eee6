import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Decision } from '../../../src/decide/decision/decision.js';
import { junit } from '../../../src/reports/formats/junit.js';
import { hostile } from '../hostile.js';
import { gate, metrics, run } from '../../model/sample.js';
import { all, readTags, shapeOf, textOf } from './read-tags.js';
import { failed, interrupted, reported, reportOf, unread, waiting } from './sample.js';

const read = (...args: Parameters<typeof reportOf>) => readTags(junit.render(reportOf(...args)));

test('has a suite for each scenario and a test case for each cell, with unique names within a class', () => {
  const suites = all(
    read([
      reported({ scenario: 'notes', agent: 'a', model: 'm', repetition: 1 }),
      reported({ scenario: 'tasks', agent: 'a', model: 'm', repetition: 1 }),
      reported({ scenario: 'notes', agent: 'a', model: 'm', repetition: 2 }),
    ]),
    'testsuite',
  );
  expect(
    suites.map((suite) => [suite.attributes['name'], all(suite, 'testcase').map((one) => one.attributes)]),
  ).toEqual([
    [
      'notes',
      [
        { classname: 'a/m', name: 'notes #1', time: '2.100' },
        { classname: 'a/m', name: 'notes #2', time: '2.100' },
      ],
    ],
    ['tasks', [{ classname: 'a/m', name: 'tasks #1', time: '2.100' }]],
  ]);
});

test('shows each outcome as the usual element, and counts it', () => {
  const root = read([
    reported({ repetition: 1 }),
    failed({ repetition: 2 }),
    unread({ repetition: 3, outcome: 'error', message: 'no key', results_dir: null, duration_secs: null }),
    unread({ repetition: 4, outcome: 'cancelled', message: 'cancelled' }),
    waiting({ repetition: 5 }),
  ]);
  const found = all(root, 'testcase').map(({ children }) =>
    children.flatMap((child) => (typeof child === 'string' || child.tag === 'properties' ? [] : child.tag)),
  );
  expect(found).toEqual([[], ['failure'], ['error'], ['skipped'], ['skipped']]);
  const counts = { tests: '5', failures: '1', errors: '1', skipped: '2', time: '6.300' };
  expect(root.attributes).toEqual({ name: 's1', ...counts });
  expect(all(root, 'testsuite').map(({ attributes }) => attributes)).toEqual([{ name: 'notes', ...counts }]);
});

test('a failure has the message, and one line for each gate that did not pass', () => {
  const details = [
    gate(),
    gate({ subject: 'a.md', status: 'fail', message: 'not there' }),
    gate({ gate_type: 'script', name: 'lint', status: 'error', message: 'broken' }),
  ];
  const cell = failed();
  cell.records = { run: run(), metrics: metrics({ details }) };
  const [failure] = all(read([cell]), 'failure');
  expect(failure?.attributes).toEqual({ type: 'fail', message: cell.cell.message });
  expect(failure && textOf(failure).split('\n').slice(1)).toEqual([
    'fail: file_exists a.md: not there',
    'error: script lint: broken',
  ]);
});

test('has properties for known costs and tokens, and never 0 for unknown ones', () => {
  const properties = (cell: Parameters<typeof read>[0][number]) =>
    Object.fromEntries(all(read([cell]), 'property').map(({ attributes: { name = '', value = '' } }) => [name, value]));
  expect(properties(reported({ cost_usd: 0.25, cached: true }))).toMatchObject({
    cost_usd: '0.25',
    tokens_output: '7',
    agent_version: '1.2.3',
    run: 'run-1',
    cached: 'true',
  });
  expect(Object.keys(properties(reported({ cost_usd: null })))).not.toEqual(expect.arrayContaining(['cost_usd']));
  expect(properties(reported())).not.toHaveProperty('tokens_input');
  expect(properties(unread({}, 'its folder is gone'))).toMatchObject({ missing: 'its folder is gone' });
});

test('no text from outside breaks the XML or changes its structure, and text is read back unchanged', () => {
  const of = (text: string) => {
    const cell = failed({ scenario: text, agent: text, model: text, message: text }, text);
    cell.records?.metrics.details.forEach((detail) => (detail.name = text));
    return read([cell], { sweep: text });
  };
  const expected = shapeOf(of('plain'));
  fc.assert(
    fc.property(fc.oneof(hostile, fc.string({ unit: 'binary-ascii' }), lone), (text) => {
      expect(shapeOf(of(text))).toEqual(expected);
    }),
  );
  const message = 'a "quoted" <b> & \'b\' ]]>\n\tsecond line';
  expect(all(of(message), 'failure')[0]?.attributes['message']).toBe(message);
  expect(all(of('\u0000\u001b[31mred\u001b[0m \ud800 \uffff'), 'failure')[0]?.attributes['message']).toBe(
    'red \ufffd \ufffd',
  );
});

const lone = fc.constantFrom('\ud800', 'x\udfff', '\ufffe', '\ud800\ud800\udc00', ']]>', '<![CDATA[');

test('shows a partly known cost as a lower bound, and leaves out unknown tokens', () => {
  const properties = all(read([interrupted()]), 'property').map(({ attributes }) => attributes);
  expect(properties).toContainEqual({ name: 'cost_usd_at_least', value: '0.5' });
  expect(properties.map(({ name }) => name)).not.toEqual(expect.arrayContaining(['cost_usd']));
  expect(properties.filter(({ name }) => name?.startsWith('tokens'))).toEqual([]);
});

test('a night of a schedule that is worse than the reference fails the report, even if all of its cells passed', () => {
  const render = (verdict: 'worse' | 'not worse' | 'undecided' | 'not tested') =>
    readTags(
      junit.render({
        ...reportOf([reported({})]),
        night: { schedule: 'nightly', verdict, reasons: ['worse since <n4>'] },
      }),
    );
  const worse = render('worse');
  expect(worse.attributes).toMatchObject({ tests: '2', failures: '1', errors: '0', skipped: '0' });
  expect(all(worse, 'failure').map(({ attributes }) => attributes['message'])).toEqual(['worse since <n4>']);
  expect(render('not worse').attributes).toMatchObject({ tests: '2', failures: '0', skipped: '0' });
  expect(render('undecided').attributes).toMatchObject({ failures: '0', skipped: '1' });
  expect(render('not tested').attributes).toMatchObject({ errors: '1' });
});

test('the verdict of a sweep that ran until it was clear is a test case, whose result is that of its exit code', () => {
  const report = reportOf([reported({})]);
  const render = (verdict: Decision['verdict']) =>
    readTags(junit.render({ ...report, document: { ...report.document, decision: { ...decision, verdict } } }));
  const worse = render('worse');
  expect(worse.attributes).toMatchObject({ tests: '2', failures: '1', errors: '0', skipped: '0' });
  expect(all(worse, 'failure').map(({ attributes }) => attributes['message'])).toEqual([
    'this sweep is worse than old: pass rate -50 points (between -80 and -10)',
  ]);
  expect(all(worse, 'testcase').at(-1)?.attributes).toMatchObject({ name: 'not worse than old' });
  for (const verdict of ['better', 'not worse', 'equivalent'] as const)
    expect(render(verdict).attributes).toMatchObject({ tests: '2', failures: '0', errors: '0', skipped: '0' });
  expect(render('undecided').attributes).toMatchObject({ failures: '0', skipped: '1' });
  expect(render('not tested').attributes).toMatchObject({ failures: '0', errors: '1' });
});

const decision: Decision = {
  base: { variant: null, sweep: 'old' },
  head_variant: null,
  verdict: 'worse',
  stopped: 'clear',
  margin: 0.1,
  alpha: 0.05,
  difference: -0.5,
  interval: { low: -0.8, high: -0.1 },
  spent_alpha: 0.05,
  p: 0.01,
  rounds: 6,
  runs: 6,
  runs_again: 0,
  most_runs: 6,
  pairs_left_out: 0,
  configurations: [],
  doubts: [],
};
