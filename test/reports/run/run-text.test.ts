import { describe, expect, test } from 'vitest';
import { formatCost } from '../../../src/lib/format/amounts.js';
import { textWidth } from '../../../src/lib/format/table.js';
import type { Json } from '../../../src/lib/json.js';
import type { EventBody } from '../../../src/model/records/events.js';
import { createActionCollector } from '../../../src/model/transcript/action-log.js';
import { renderGates, renderRun } from '../../../src/reports/run/run-text.js';
import { MAX_TEXT_LENGTH } from '../../../src/reports/run/shorten.js';
import { LONGEST_LINE } from '../../hostile-texts.js';
import { gate, metrics, run } from '../../model/sample.js';

const options = { color: false, width: 80 };

describe('renderRun', () => {
  test('shows outcome, steps, gates and the path of the report', () => {
    const text = renderRun(run(), metrics(), { ...options, resultsDir: '/r/x' });
    expect(text).toMatch(/^✓ pass {2}notes {2}1\/1 gates passed\n/);
    expect(text).toMatch(/✓ done +runAgent +3\.0 s/);
    expect(text).toMatch(/gates 1\/1\n +✓ pass +file_exists +notes\.md exists/);
    expect(text).toMatch(/\nreport {2}\/r\/x\/report\.md\n$/);
  });
  test('names the gates whose evidence could have been forged, as the lines of gates do', () => {
    const details = [gate(), gate({ index: 1, forgeable: 'it is\x1b[2J local' }), gate({ index: 2 })];
    const note = '  The evidence of gate 2 could have been forged: it is local.\n';
    const found = metrics({ details });
    expect(renderRun(run(), found, options)).toContain(note);
    expect(renderRun(run(), found, { ...options, height: 20 })).toContain(note);
    expect(renderGates({ outcome: 'pass', metrics: found }, 'notes', options)).toContain(note);
    expect(renderRun(run(), metrics(), options)).not.toContain('forged');
  });
  test('says that a step was not performed, and why', () => {
    const steps = [
      {
        name: 'judgeRun',
        status: 'not_performed' as const,
        duration_ms: null,
        attempts: 0,
        note: 'no judge',
      },
    ];
    expect(renderRun(run({ steps }), metrics(), options)).toMatch(/- not performed +judgeRun +n\/a +no judge/);
  });
  test('names attempts only if there was more than one', () => {
    const step = { name: 'runAgent', status: 'done' as const, duration_ms: 1, note: null };
    expect(renderRun(run({ steps: [{ ...step, attempts: 2 }] }), metrics(), options)).toContain('attempt 2');
    expect(renderRun(run({ steps: [{ ...step, attempts: 1 }] }), metrics(), options)).not.toContain('attempt 1');
  });
  test('says that the agent was not started and that its cost is unknown', () => {
    const text = renderRun(run({ agent: null }), metrics(), options);
    expect(text).toMatch(/ended +the agent was not started/);
    expect(text).toMatch(/cost +n\/a/);
  });
  test('shows tokens, and n/a for unknown ones', () => {
    expect(renderRun(run(), metrics(), options)).toMatch(
      /tokens +input n\/a, output 7, reasoning n\/a, cache read n\/a, cache write n\/a/,
    );
    const { agent } = run();
    const none = { input: null, output: null, reasoning: null, cache_read: null, cache_write: null };
    const unknown = agent === null ? null : { ...agent, token_usage: none };
    expect(renderRun(run({ agent: unknown }), metrics(), options)).toMatch(/tokens +n\/a\n/);
  });
  test('tells how the other attempts of an adopted or restarted agent ended', () => {
    const { agent } = run();
    const history = ['attempt 1 ended: worker lost after 14 s; adopted'];
    const text = renderRun(run({ agent: agent === null ? null : { ...agent, history } }), metrics(), options);
    expect(text).toMatch(/other attempts\n {2}attempt 1 ended: worker lost after 14 s; adopted\n/);
    expect(renderRun(run(), metrics(), options)).not.toContain('other attempts');
  });
  test('shows what evaluators found, and why one failed', () => {
    const none = { metrics: null, summary: null, error: null };
    const evaluator_results = [
      { ...none, name: 'size', score: 0 },
      { ...none, name: 'style', score: null, error: 'exit 2' },
    ];
    const text = renderRun(run(), metrics({ evaluator_results }), options);
    expect(text).toMatch(/size +0\.00/);
    expect(text).toMatch(/style +n\/a +evaluator error: exit 2/);
  });
  test('keeps escape sequences of messages from the terminal, and tables within its width', () => {
    const details = [gate({ message: `\x1b[2J${'long '.repeat(60)}` })];
    const text = renderRun(run(), metrics({ details }), options);
    expect(text).not.toContain('\x1b');
    for (const line of text.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(80);
  });
  test('uses colours only if allowed', () => {
    expect(renderRun(run(), metrics(), { ...options, color: true })).toContain('\x1b[32m✓ pass\x1b[39m');
  });
});

test('counts the uses of skills and the calls of MCP servers', () => {
  const collector = createActionCollector();
  const call = (name: string, input: Json): EventBody => ({
    type: 'tool_call',
    id: name,
    name,
    input,
    command: null,
  });
  const recorded = (tool: string, is_error = false): EventBody => ({
    type: 'mcp_call',
    server: 'files',
    tool,
    arguments: {},
    result: null,
    error: null,
    is_error,
    duration_ms: 1,
    mocked: false,
  });
  const events = [
    ...[
      call('Skill', { skill: 'stamp' }),
      call('Read', { path: 'skills/pdf/SKILL.md' }),
      call('Skill', { skill: 'stamp' }),
    ],
    ...[call('files.read', {}), recorded('read'), recorded('read', true), recorded('write')],
  ];
  for (const [at, event] of events.entries()) collector.add({ ...event, ts: '', seq: at + 1, attempt: 1 });
  collector.add({ type: 'mcp_problem', server: 'db', message: 'it ended', ts: '', seq: 9, attempt: 1 });
  const text = renderRun(run(), metrics(), { ...options, actionLog: collector.end() });
  expect(text).toMatch(/^ {2}skills +stamp \(2 times\), pdf$/m);
  expect(text).toMatch(/^ {2}MCP +files: read 2 \(1 failed\), write 1; db: 1 problem$/m);
  // The agent's own calls are the commands below.
  expect(text).toContain('4 tool calls');
  expect(renderRun(run(), metrics(), options)).not.toMatch(/skills|MCP/);
});

describe('a run with very long texts', () => {
  const long = 'žluťoučký kůň\n'.repeat(LONGEST_LINE / 14);
  const { agent } = run();
  const record = run({
    outcome: 'error',
    message: long,
    warnings: [long],
    regressions: [{ kind: 'cost', message: long, since: 'before' }],
    agent: agent === null ? null : { ...agent, history: [long] },
  });
  const found = metrics({ details: [gate({ status: 'fail', message: long }), gate({ message: long })] });
  const human = { score: 0.5, points: 1, max: 2, reviewer: null, notes: long, problem: null };

  test('shows the beginning of each, and names the file that has the rest', () => {
    const text = renderRun(record, found, { ...options, human });
    expect(text.length).toBeLessThan(8 * MAX_TEXT_LENGTH);
    const named = [...text.matchAll(/^ *… ([\d,]+) more characters are in (\S+)$/gm)];
    const left = (long.length - MAX_TEXT_LENGTH).toLocaleString('en');
    expect(new Set(named.map(([, count]) => count))).toEqual(new Set([left]));
    expect(named.map(([, , file]) => file).toSorted()).toEqual([
      'artifacts/run.json',
      'artifacts/run.json',
      'artifacts/run.json',
      'artifacts/run.json',
      'evaluation.md',
      'metrics.json',
    ]);
  });
  test('still shows on a small screen which gate failed', () => {
    const seeAll = '--all shows them';
    const text = renderRun(record, found, { ...options, height: 50, seeAll });
    expect(text).toMatch(/✗ fail {2}file_exists/);
    expect(text).toMatch(/^ {6}… [\d,]+ more lines; --all shows them$/m);
    expect(text).toMatch(/^not shown: .*warning lines/m);
    expect(text.split('\n').length).toBeLessThanOrEqual(51);
  });
});

test.each([
  [null, 'n/a'],
  [0, '$0.00'],
  [0.00001, '<$0.0001'],
  [0.0123, '$0.0123'],
  [0.42, '$0.42'],
  [12.345, '$12.35'],
])('a cost of %d reads "%s"', (usd, text) => {
  expect(formatCost(usd)).toBe(text);
});
