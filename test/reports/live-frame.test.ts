import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textWidth } from '../../src/lib/format/table.js';
import { renderLiveView, plainLine, type LiveState } from '../../src/reports/live-frame.js';

const state = (change: Partial<LiveState> = {}): LiveState => ({
  sweep: 's1',
  status: 'running',
  note: null,
  startedAt: 0,
  total: 6,
  totals: { passed: 1, failed: 1, errored: 0, cancelled: 0 },
  active: [{ label: 'notes mock/default', step: 'runAgent', since: 60_000, note: 'attempt 2' }],
  recent: [
    { label: 'todo mock/default', outcome: 'pass', message: '4/4 gates passed', took: '2.1 s' },
    { label: 'mail mock/default', outcome: 'fail', message: '0/1 gates passed', took: '3.0 s' },
  ],
  uiUrl: 'http://localhost:8233',
  hint: 'Ctrl-C pauses',
  ...change,
});
const many = (count: number): LiveState['active'] =>
  Array.from({ length: count }, (_, at) => ({ label: `cell ${at}`, step: 'runAgent', since: 0, note: null }));

describe('renderLiveView', () => {
  test('shows counts, what each active cell does, what finished, and where to look', () => {
    expect(renderLiveView(state(), 80, 24, 64_200, false)).toBe(
      [
        's1  running  1m 04s',
        '1 passed  1 failed  0 errors  1 running  3 waiting',
        '',
        '  notes mock/default  runAgent  4.2 s  attempt 2',
        '',
        '  ✓ pass  todo mock/default  2.1 s  4/4 gates passed',
        '  ✗ fail  mail mock/default  3.0 s  0/1 gates passed',
        '',
        'http://localhost:8233',
        'Ctrl-C pauses',
      ].join('\n'),
    );
  });
  test('says what is being waited for', () => {
    const text = renderLiveView(
      state({ status: 'starting', note: 'downloading the Temporal server' }),
      80,
      24,
      0,
      false,
    );
    expect(text.split('\n')[0]).toContain('starting  0 ms  downloading the Temporal server');
  });
  test('shows the full text of a wait, on separate lines if it does not fit next to the title', () => {
    const sweep = '20260102-130000-many-scenarios';
    const note = `waiting for anthropic until 14:05, waiting for openai until 15:00; llm-tool-test retry ${sweep} --now does not wait`;
    for (const width of [60, 80, 110, 200]) {
      const lines = renderLiveView(state({ sweep, note }), width, 24, 0, false).split('\n');
      const head = lines.slice(0, lines.indexOf(''));
      expect(head.join(' ')).toContain(`  0 ms${width === 200 ? '  ' : ' '}${note} 1 passed`);
      for (const line of head) expect(textWidth(line)).toBeLessThanOrEqual(width);
    }
  });
  test('counts the active cells that do not fit', () => {
    const text = renderLiveView(state({ active: many(40), recent: [] }), 80, 12, 0, false);
    const shown = text.match(/cell \d+/g)?.length ?? 0;
    expect(shown).toBeGreaterThan(3);
    expect(text).toContain(`… and ${40 - shown} more`);
  });
  test('keeps the latest finished cells visible among many active ones', () => {
    const text = renderLiveView(state({ active: many(40) }), 80, 16, 0, false);
    expect(text).toContain('mail mock/default');
  });
  test('keeps the latest finished cells when there are few lines', () => {
    const text = renderLiveView(state({ active: [] }), 80, 3, 0, false);
    expect(text).toContain('mail mock/default');
    expect(text).not.toContain('todo mock/default');
  });
  test('drops the footer rather than cells when there are few lines', () => {
    const six = renderLiveView(state(), 80, 6, 64_200, false);
    expect(
      six
        .split('\n')
        .slice(2)
        .map((line) => line.trim().split(' ')[0]),
    ).toEqual(['notes', '✗', 'http://localhost:8233', 'Ctrl-C']);
    expect(renderLiveView(state(), 80, 5, 64_200, false)).not.toContain('Ctrl-C');
    expect(renderLiveView(state(), 80, 5, 64_200, false)).toContain('notes mock/default');
  });
  test('shows the sweep if there is only one line', () => {
    expect(renderLiveView(state(), 80, 1, 0, false)).toBe('s1  running  0 ms');
  });

  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom('日本語テスト', 'a\nb', '\x1b[2J'),
  );
  const anyState: fc.Arbitrary<LiveState> = fc.record({
    sweep: text,
    status: fc.constantFrom('starting', 'running', 'paused', 'completed'),
    note: fc.option(text),
    startedAt: fc.nat(),
    total: fc.nat({ max: 100 }),
    totals: fc.record({ passed: fc.nat(), failed: fc.nat(), errored: fc.nat(), cancelled: fc.nat() }),
    active: fc.array(fc.record({ label: text, step: text, since: fc.nat(), note: fc.option(text) }), {
      maxLength: 20,
    }),
    recent: fc.array(
      fc.record({
        label: text,
        outcome: fc.constantFrom('pass', 'fail', 'error', 'cancelled'),
        message: text,
        took: fc.string(),
      }),
      { maxLength: 20 },
    ),
    uiUrl: fc.option(text),
    hint: fc.option(text),
  });
  test('fits any terminal with any content', () => {
    fc.assert(
      fc.property(
        anyState,
        fc.nat({ max: 100 }),
        fc.nat({ max: 40 }),
        fc.boolean(),
        (any, width, height, color) => {
          const shown = renderLiveView(any, width, height, 1e6, color);
          const lines = shown === '' ? [] : shown.split('\n');
          expect(lines.length).toBeLessThanOrEqual(height);
          for (const line of lines) {
            expect(textWidth(line)).toBeLessThanOrEqual(width);
            expect(line.replace(/\x1b\[\d+m/g, '')).not.toMatch(/\p{Cc}/u);
          }
        },
      ),
    );
  });
  test('shows every cell if there is room', () => {
    fc.assert(
      fc.property(fc.nat({ max: 10 }), fc.nat({ max: 10 }), (active, finished) => {
        const recent = Array.from({ length: finished }, (_, at) => ({
          label: `done ${at}.`,
          outcome: 'pass' as const,
          message: '',
          took: '1.0 s',
        }));
        const shown = renderLiveView(state({ active: many(active), recent }), 80, 30, 0, false);
        for (let at = 0; at < active; at += 1) expect(shown).toContain(`cell ${at} `);
        for (let at = 0; at < finished; at += 1) expect(shown).toContain(`done ${at}.`);
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
    expect(plainLine(finished, 3, 6)).toBe(
      '[3/6] pass   example_basic mock/default  2.1 s  4/4 gates passed',
    );
  });
  test('stays one line for any message', () => {
    expect(plainLine({ ...finished, message: 'a\nb\x1b[2J' }, 1, 1)).toMatch(/ {2}a b$/);
  });
});
