import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decisionText, progressText } from '../../../src/decide/decision/decision-text.js';
import { textWidth } from '../../../src/lib/format/table.js';
import { type LiveState, plainLine, renderLiveView } from '../../../src/reports/sweep/live-frame.js';

const failed = (at: number): LiveState['failures'][number] => ({
  name: [`bad ${at}.`],
  outcome: 'fail',
  message: 'file_exists report.md: not found',
  took: '3.0 s',
});
const passed = (at: number): LiveState['ended'][number] => ({
  name: [`good ${at}.`],
  outcome: 'pass',
  message: '4/4 gates passed',
  took: '2.1 s',
});
const going = (at: number): LiveState['active'][number] => ({
  name: [`cell ${at}.`],
  step: 'agent',
  since: 0,
  doing: null,
  note: null,
});
const parked = (at: number): LiveState['parked'][number] => ({
  name: [`parked ${at}.`],
  wait: 'waiting for openai until 14:05',
  reason: 'rate limited',
});
const list = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

/** A sweep with these numbers of cells, which add up. Only the first `rows` running cells are known in detail. */
function sweepOf({
  running = 0,
  rows = running,
  waits = 0,
  failures = 0,
  ended = 0,
  rest = 0,
}: Partial<Record<'running' | 'rows' | 'waits' | 'failures' | 'ended' | 'rest', number>>): LiveState {
  return state({
    total: running + waits + failures + ended + rest,
    totals: { passed: ended, failed: failures, errored: 0, cancelled: 0 },
    running,
    active: list(Math.min(rows, running), going),
    parkedTotal: waits,
    parked: list(waits, parked),
    failures: list(failures, failed),
    ended: list(ended, passed),
  });
}

function state(change: Partial<LiveState> = {}): LiveState {
  return {
    sweep: 's1',
    status: 'running',
    about: 'notes',
    note: null,
    decision: [],
    startedAt: 0,
    total: 6,
    totals: { passed: 1, failed: 1, errored: 0, cancelled: 0 },
    running: 1,
    active: [{ name: ['mock/a', '#2'], step: 'agent', since: 60_000, doing: '$ ls', note: 'attempt 2' }],
    parkedTotal: 1,
    parked: [{ name: ['mock/a', '#3'], wait: 'waiting for openai until 14:05', reason: 'rate limited' }],
    failures: [{ name: ['mock/b', '#1'], outcome: 'fail', message: 'file_exists a.md: not found', took: '3.0 s' }],
    ended: [{ name: ['mock/a', '#1'], outcome: 'pass', message: '4/4 gates passed', took: '2.1 s' }],
    remainingSecs: 540,
    spent: { usd: 1.24, unknown: 0, maxUsd: 5 },
    uiUrl: 'http://localhost:8233',
    hint: 'Ctrl-C pauses',
    ...change,
  };
}
const linesOf = (state: LiveState, width: number, height: number): string[] =>
  renderLiveView(state, width, height, 64_200, false).split('\n');

/** A sweep that has not decided yet. */
const UNCLEAR: Parameters<typeof decisionText>[0] = {
  base: { variant: 'bare', sweep: null },
  head_variant: 'guided',
  verdict: 'undecided',
  stopped: null,
  margin: null,
  alpha: 0.05,
  difference: -0.7,
  interval: { low: -0.93, high: 0.1 },
  spent_alpha: 0.00693,
  p: null,
  rounds: 5,
  runs: 20,
  runs_again: 3,
  most_runs: 40,
  pairs_left_out: 0,
};

describe('renderLiveView', () => {
  test('shows how far the sweep is, what each agent does, who waits, what failed and where to look', () => {
    expect(linesOf(state(), 80, 24)).toEqual([
      's1  running  1m 04s  notes',
      '████████░░░░░░░░░░░░░░░░░░  2/6  about 9 min left  $1.24 of $5.00 spent',
      '1 passed  1 failed  0 errors  1 running  3 waiting',
      '',
      '  mock/a  #2  agent                           4.2 s  attempt 2  $ ls',
      '  mock/a  #3  waiting for openai until 14:05         rate limited',
      '',
      '  ✗ fail  mock/b  #1  3.0 s  file_exists a.md: not found',
      '',
      '  ✓ pass  mock/a  #1  2.1 s  4/4 gates passed',
      '',
      'http://localhost:8233',
      'Ctrl-C pauses',
    ]);
  });
  test('shows no time left without a basis, and no money where nothing costs', () => {
    const [, line] = linesOf(state({ remainingSecs: null, spent: null }), 80, 24);
    expect(line).toBe('████████░░░░░░░░░░░░░░░░░░  2/6');
  });
  test('marks spending of which a part is unknown, and shows it without a budget', () => {
    const [, line] = linesOf(state({ spent: { usd: 0.5, unknown: 2, maxUsd: null } }), 80, 24);
    expect(line).toContain('  >$0.50 spent');
  });
  test('shows how clear the verdict is, to the end of each line', () => {
    const decision = [decisionText(UNCLEAR), progressText(UNCLEAR)];
    const lines = linesOf(state({ decision }), 80, 24);
    expect(lines.slice(3, 7)).toEqual([
      'not clear yet whether guided is better or worse than bare: pass rate -70 points',
      '(between -93 and +10)',
      '20 of at most 40 runs, 3 more after errors; 5 looks, 0.0069 of the significance',
      'level of 0.05 spent',
    ]);
    expect(linesOf(state({ decision }), 80, 10).filter((line) => line.includes('clear'))).toHaveLength(1);
  });
  test('says what is being waited for', () => {
    const lines = linesOf(state({ status: 'starting', note: 'downloading the Temporal server' }), 80, 24);
    expect(lines[3]).toBe('downloading the Temporal server');
  });
  test('wraps a long note instead of cutting it', () => {
    const sweep = '20260102-130000-many-scenarios';
    const note = `waiting for anthropic until 14:05, waiting for openai until 15:00; to stop waiting: retry ${sweep} --now`;
    for (const width of [60, 80, 110, 200]) {
      const lines = linesOf(state({ sweep, note }), width, 24);
      expect(lines.slice(3, lines.indexOf('')).join(' ')).toBe(note);
    }
  });
  test.each([
    { width: 80, height: 24 },
    { width: 100, height: 30 },
  ])('keeps the latest failures and the keys on screen with 500 cells, at $width x $height', (size) => {
    const { width, height } = size;
    const lines = linesOf(
      sweepOf({ running: 100, rows: 24, waits: 30, failures: 20, ended: 150, rest: 200 }),
      width,
      height,
    );
    expect(lines).toHaveLength(height);
    const shown = lines.filter((line) => line.includes('cell ')).length;
    const waits = lines.filter((line) => line.includes('parked ')).length;
    expect(lines).toContain(`  … and ${100 - shown} more running`);
    expect(lines).toContain(`  … and ${30 - waits} more waiting for their providers`);
    expect(lines).toContain('  … and 16 more that failed earlier');
    expect(lines.filter((line) => line.includes('bad '))).toHaveLength(4);
    expect(lines.at(-3)).toContain('bad 19.');
    expect(lines.at(-1)).toBe('Ctrl-C pauses');
  });
  test('counts running cells of which nothing more is known yet', () => {
    expect(linesOf(sweepOf({ running: 24, rows: 0 }), 80, 24)).toContain('  … and 24 more running');
  });
  test('drops the bar and the address rather than what the keys do', () => {
    const lines = linesOf(state(), 80, 6);
    expect(lines.map((line) => line.trim().split(' ')[0])).toEqual(['s1', '1', 'mock/a', 'mock/a', '✗', 'Ctrl-C']);
  });
  test('shows the sweep if there is only one line', () => {
    expect(linesOf(state(), 80, 1)).toEqual(['s1  running  1m 04s  notes']);
  });

  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom('日本語テスト', 'a\nb', '\x1b[2J'),
  );
  const name = fc.array(text, { maxLength: 3 });
  const ended = fc.array(
    fc.record({
      name,
      outcome: fc.constantFrom('pass' as const, 'fail' as const, 'error' as const, 'cancelled' as const),
      message: text,
      took: fc.string(),
    }),
    { maxLength: 20 },
  );
  const anyState: fc.Arbitrary<LiveState> = fc.record({
    sweep: text,
    status: fc.constantFrom('starting', 'running', 'paused', 'completed'),
    about: text,
    note: fc.option(text),
    startedAt: fc.nat(),
    total: fc.nat({ max: 100 }),
    totals: fc.record({ passed: fc.nat(), failed: fc.nat(), errored: fc.nat(), cancelled: fc.nat() }),
    running: fc.nat({ max: 200 }),
    active: fc.array(fc.record({ name, step: text, since: fc.nat(), doing: fc.option(text), note: fc.option(text) }), {
      maxLength: 20,
    }),
    parkedTotal: fc.nat({ max: 50 }),
    parked: fc.array(fc.record({ name, wait: text, reason: text }), { maxLength: 20 }),
    failures: ended,
    ended,
    decision: fc.array(text, { maxLength: 2 }),
    remainingSecs: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })),
    spent: fc.option(
      fc.record({
        usd: fc.option(fc.double({ min: 0, max: 1e4, noNaN: true })),
        unknown: fc.nat(),
        maxUsd: fc.option(fc.nat()),
      }),
    ),
    uiUrl: fc.option(text),
    hint: fc.option(text),
  });
  test('fits any terminal with any content', () => {
    fc.assert(
      fc.property(anyState, fc.nat({ max: 100 }), fc.nat({ max: 40 }), fc.boolean(), (any, width, height, color) => {
        const shown = renderLiveView(any, width, height, 1e6, color);
        const lines = shown === '' ? [] : shown.split('\n');
        expect(lines.length).toBeLessThanOrEqual(height);
        for (const line of lines) {
          expect(textWidth(line)).toBeLessThanOrEqual(width);
          expect(line.replace(/\x1b\[\d+m/g, '')).not.toMatch(/\p{Cc}/u);
        }
      }),
    );
  });

  const count = fc.nat({ max: 120 });
  const anySweep = fc
    .record({
      running: count,
      rows: count,
      waits: fc.nat({ max: 20 }),
      failures: count,
      ended: count,
      rest: count,
    })
    .map(sweepOf);
  /** The number in a line such as "… and 12 more running"; 0 without such a line. */
  const more = (shown: string, what: string): number =>
    Number(new RegExp(`… and (\\d+) more ${what}`).exec(shown)?.[1] ?? 0);

  test('never shows more cells than there are, and says how many are missing', () => {
    fc.assert(
      fc.property(anySweep, fc.integer({ min: 3, max: 60 }), (any, height) => {
        const shown = renderLiveView(any, 100, height, 0, false);
        const seen = (word: string): number => shown.split(`  ${word} `).length - 1;
        const [cells, waits, bad] = [seen('cell'), seen('parked'), shown.split('bad ').length - 1];
        expect(cells).toBeLessThanOrEqual(any.running);
        if (shown.includes('more running')) expect(cells + more(shown, 'running')).toBe(any.running);
        if (shown.includes('more waiting')) expect(waits + more(shown, 'waiting')).toBe(any.parkedTotal);
        if (shown.includes('more that')) expect(bad + more(shown, 'that')).toBe(any.failures.length);
        if (height >= 24) {
          expect(cells + more(shown, 'running')).toBe(any.running);
          expect(waits + more(shown, 'waiting')).toBe(any.parkedTotal);
          expect(bad + more(shown, 'that')).toBe(any.failures.length);
        }
      }),
    );
  });
  test('the counts add up to the number of cells', () => {
    fc.assert(
      fc.property(anySweep, (any) => {
        const [, , counts = ''] = linesOf(any, 200, 24);
        const numbers = [...counts.matchAll(/(\d+) \w+/g)].map(([, number]) => Number(number));
        expect(numbers.reduce((sum, number) => sum + number, 0)).toBe(any.total);
      }),
    );
  });
  test('shows every cell if there is room', () => {
    fc.assert(
      fc.property(fc.nat({ max: 6 }), fc.nat({ max: 6 }), fc.nat({ max: 6 }), (running, failures, ended) => {
        const shown = renderLiveView(sweepOf({ running, failures, ended }), 80, 30, 0, false);
        for (let at = 0; at < running; at += 1) expect(shown).toContain(`cell ${at}.`);
        for (let at = 0; at < failures; at += 1) expect(shown).toContain(`bad ${at}.`);
        for (let at = 0; at < ended; at += 1) expect(shown).toContain(`good ${at}.`);
      }),
    );
  });
});

describe('plainLine', () => {
  const finished = {
    label: 'example_basic mock/default',
    outcome: 'pass',
    message: '4/4 gates passed',
    took: '2.1 s',
  } as const;
  test('shows a finished cell on one line', () => {
    expect(plainLine(finished, 3, 6)).toBe('[3/6] pass   example_basic mock/default  2.1 s  4/4 gates passed');
  });
  test('stays one line for any message', () => {
    expect(plainLine({ ...finished, message: 'a\nb\x1b[2J' }, 1, 1)).toMatch(/ {2}a b$/);
  });
});
