import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EventBody } from '../../src/model/records/events.js';
import { Metrics, ResultLine } from '../../src/model/records/result-line.js';
import { RunRecord } from '../../src/model/records/run-record.js';
import { Plan } from '../../src/scenario/plan.js';
import { planFile, resultsLog, runFiles, summaryFile } from '../../src/store/results-folder.js';
import { HOSTILE, HOSTILE_TEXTS } from '../hostile-texts.js';
import { command, gate, judgment, metrics, run } from '../model/sample.js';
import { resultLine } from '../store/sample.js';

interface Schema {
  safeParse(value: unknown): { success: boolean };
}

/** Fields that connect the files of a sweep with each other, and those that name a version. */
const KEPT = new Set(['sweep', 'cell', 'id', 'run_id', 'results_dir', 'type', 'created_at', 'timestamp']);

/** Replaces every text in a record that may be any text, and adds it as a name where names are free. */
function spoil<T>(schema: Schema, record: T, text: string): T {
  const copy = structuredClone(record);
  const visit = (of: unknown): void => {
    if (typeof of !== 'object' || of === null) return;
    const fields = of as Record<string, unknown>;
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value !== 'string') visit(value);
      else if (!KEPT.has(name)) {
        fields[name] = text;
        if (!schema.safeParse(copy).success) fields[name] = value;
      }
    }
  };
  visit(copy);
  return copy;
}

/** Names of folders can contain anything but a slash and NUL. */
const hostileName = (number: number): string =>
  `s${number} ${[
    'an element with a handler',
    'colours, and a cleared screen',
    'reversed text',
    'a line that overwrites itself',
  ]
    .map((name) => HOSTILE_TEXTS[name])
    .join(' ')
    .replaceAll('/', '')}`;

/**
 * Writes a results folder in which every field of two sweeps and their runs is `text`, as a hostile host of shared
 * results could leave it. Returns their ids.
 */
export function writeHostileResults(results: string, text = HOSTILE): { sweeps: string[]; runs: string[] } {
  const sweeps = [hostileName(1), hostileName(2)];
  const runs = sweeps.flatMap((sweep, at) =>
    [1, 2].map((repetition) => {
      const id = `run-${at}-${repetition}`;
      writeRun(results, { id, sweep, repetition, text });
      return id;
    }),
  );
  for (const sweep of sweeps) {
    mkdirSync(join(results, 'sweeps', sweep), { recursive: true });
    const cells = [1, 2].map((repetition) => cellOf(repetition, text));
    const scenario = { name: text, variant: text, file: text, path: text, hash: 'abc' };
    const plan = {
      schema_version: 1,
      sweep,
      created_at: '2026-01-01T00:00:00.000Z',
      concurrency: 1,
      providers: {},
      cache: true,
      caps: { agents: {}, models: {} },
      max_usd: null,
      prices: {},
      project: null,
      hidden: [],
      sandbox: { required: false, allow_loopback: [] },
      scenarios: [scenario],
      agents: {},
      cells,
    };
    writeFileSync(planFile(results, sweep), JSON.stringify(Plan.parse(plan)));
    writeFileSync(summaryFile(results, sweep), JSON.stringify({ status: 'completed' }));
  }
  return { sweeps, runs };
}

const cellOf = (repetition: number, text: string) => ({
  id: `${text}/${repetition}`,
  scenario: text,
  agent: text,
  variant: text,
  repetition,
  // Two of them, so that they can be ranked.
  model: `${text}${repetition}`,
});

interface HostileRun {
  id: string;
  sweep: string;
  repetition: number;
  text: string;
}

function writeRun(results: string, { id, sweep, repetition, text }: HostileRun): void {
  const cell = `${text}/${repetition}`;
  const found = spoil(
    Metrics,
    metrics({
      run_id: id,
      outcome: 'fail',
      gates_total: 2,
      judge: judgment({ scores: { [text]: 0.5 } }),
      details: [
        gate({ status: 'fail', name: 'x', subject: 'x', detail: { [text]: [text] } }),
        gate({ index: 1, judged_by: 'x', detail: text }),
      ],
      evaluator_results: [
        { name: 'x', metrics: { [text]: text }, score: 1, summary: 'x', error: null },
        { name: 'y', metrics: null, score: null, summary: null, error: 'x' },
      ],
    }),
    text,
  );
  const regressions = [{ kind: 'cost' as const, message: text, since: text }];
  const agent = run().agent;
  const record = spoil(
    RunRecord,
    run({
      run_id: id,
      sweep,
      cell,
      outcome: 'fail',
      repetition,
      regressions,
      warnings: ['x'],
      setup: [command({ exit_code: 1, stdout: 'x', stderr: 'x' })],
      post_scripts: [command({ stdout: 'x' })],
      agent: agent === null ? null : { ...agent, session_id: 'x' },
      judge: { model: 'x', rubric: 'x', artifacts: ['x'] },
      steps: [{ name: 'runAgent', status: 'done', duration_ms: 1, attempts: 2, note: 'x' }],
    }),
    text,
  );
  const line = spoil(
    ResultLine,
    resultLine({
      id,
      sweep,
      cell,
      outcome: 'fail',
      repetition,
      judge_score: 0.5,
      regressions,
      metrics: found,
    }),
    text,
  );
  const files = runFiles(join(results, id));
  mkdirSync(files.artifacts, { recursive: true });
  writeFileSync(files.metrics, JSON.stringify(found));
  writeFileSync(files.run, JSON.stringify(record));
  writeFileSync(files.evaluation, `## Human review\n\n- score: 3/5\n- reviewer: ${text}\n\n### Notes\n\n${text}\n`);
  writeFileSync(files.events, eventsOf(text));
  appendFileSync(resultsLog(results), `${JSON.stringify(line)}\n`);
}

/** Events with the text in every field, and bytes that are no UTF-8. */
function eventsOf(text: string): Buffer {
  const bodies: EventBody[] = [
    { type: 'session', session_id: 'x', model_requested: 'x', model_used: 'x' },
    { type: 'message', role: 'user', text: 'x' },
    { type: 'message', role: 'assistant', text: 'x' },
    { type: 'reasoning', text: 'x' },
    { type: 'tool_call', id: '1', name: 'x', input: { [text]: [text] }, command: null },
    { type: 'tool_result', id: '1', exit_code: null, is_error: true, output: 'x', truncated: true },
    { type: 'tool_call', id: '2', name: 'shell', input: null, command: 'x' },
    { type: 'tool_result', id: '2', exit_code: 1, is_error: true, output: 'x', truncated: false },
    { type: 'setup_command', command: 'x', exit_code: 1, timed_out: false, stdout: 'x', stderr: 'x' },
    { type: 'error', message: 'x', retryable: false },
    { type: 'unknown', kind: 'x' },
    { type: 'message', role: 'assistant', text: 'BYTES' },
    { type: 'result', ending: 'x', exit_code: 0 },
  ];
  const lines = bodies.map((body, at) => {
    const spoilt = body.type === 'message' && body.text === 'BYTES' ? body : spoil(EventBody, body, text);
    return JSON.stringify({ ...spoilt, ts: '2026-01-01T00:00:00.000Z', seq: at + 1, attempt: 1 });
  });
  const [before = '', after = ''] = `${lines.join('\n')}\n`.split('BYTES');
  return Buffer.concat([Buffer.from(before), Buffer.from([0xff, 0xfe, 0xc3, 0x28]), Buffer.from(after)]);
}
