import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRedactor } from '../../../src/lib/redaction/redact.js';
import { Executions } from '../../../src/model/records/execution.js';
import { EventBody, RunEvent } from '../../../src/model/records/events.js';
import { JudgeAnswer, Judgment } from '../../../src/model/records/judgment.js';
import { JsonValue } from '../../../src/model/records/quantities.js';
import { KeptText, redactFields } from '../../../src/model/records/redact-fields.js';
import { RunRecord } from '../../../src/model/records/run-record.js';
import { Metrics } from '../../../src/model/records/result-line.js';

const VALUE = 'message';
const NUMBER = 123456;
const R = '[REDACTED]';
const redact = createRedactor({ secrets: [VALUE, String(NUMBER)] });

/** A value of a schema with the secret as every text and number. */
function filled(schema: { def: unknown }): unknown {
  const def = schema.def as {
    type: string;
    innerType: { def: unknown };
    element: { def: unknown };
    valueType: { def: unknown };
    shape: Record<string, { def: unknown }>;
    entries: Record<string, unknown>;
    values: unknown[];
  };
  switch (def.type) {
    case 'nullable':
    case 'optional':
    case 'nonoptional':
    case 'default':
      return filled(def.innerType);
    case 'array':
      return [filled(def.element)];
    case 'record':
      return { [VALUE]: filled(def.valueType) };
    case 'object':
      return Object.fromEntries(Object.entries(def.shape).map(([key, field]) => [key, filled(field)]));
    case 'string':
      return VALUE;
    case 'number':
      return NUMBER;
    case 'boolean':
      return true;
    case 'enum':
      return Object.values(def.entries)[0];
    case 'literal':
      return def.values[0];
    case 'custom':
      return { [VALUE]: [VALUE] };
    default:
      throw new Error(`no example of ${def.type}`);
  }
}

/** Paths of the texts that were masked. */
const maskedIn = (value: unknown, path = ''): string[] => {
  if (typeof value === 'string') return value.includes(R) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, field]) => maskedIn(field, path === '' ? key : `${path}.${key}`));
};

describe('redaction of a record with the secret in every text', () => {
  it('masks output, messages and commands in run.json, but not names', () => {
    const record = RunRecord.parse(filled(RunRecord));
    const redacted = redactFields(record, RunRecord, redact);
    expect(RunRecord.parse(redacted)).toEqual(redacted);
    const command = (path: string) => ['command', 'stdout', 'stderr'].map((field) => `${path}.${field}`);
    expect(maskedIn(redacted).sort()).toEqual(
      [
        ...['agent.output_problems.first.0.field', 'agent.output_problems.first.0.message', 'left_out.0.path'],
        ...['scenario.description', 'scenario.prompt', 'target.resolved', ...command('target.health_check')],
        ...[
          'image.name',
          'message',
          'agent.message',
          'agent.version',
          'agent.session_id',
          'agent.model_used',
          'agent.history.0',
          'agent.first_request.unknown',
        ],
        ...[...command('setup.0'), ...command('context.0'), ...command('post_scripts.0')],
        ...['mocks.by_mock.0.args.0', 'mocks.by_mock.0.calls.0.args.0', 'mocks.by_mock.0.calls.0.step'],
        // The agent may have written these records.
        ...[
          'mocks.unmatched.0.command',
          'mocks.matcher_errors.0.message',
          'mocks.unmatched.0.args.0',
          'mocks.unmatched.0.step',
        ],
        ...['conversation.turns.0.user', 'conversation.turns.0.agent'],
        ...['steps.0.note', 'warnings.0', 'regressions.0.message'],
      ].sort(),
    );
  });

  it('does so in metrics.json, too', () => {
    const redacted = redactFields(Metrics.parse(filled(Metrics)), Metrics, redact);
    expect(Metrics.parse(redacted)).toEqual(redacted);
    expect(maskedIn(redacted).sort()).toEqual(
      [
        'agent_work.actions.0',
        ...['details.0.subject', 'details.0.message', `details.0.detail.${R}.0`],
        'details.0.model_used',
        ...['judge.model_used', 'judge.issues.0', 'judge.highlights.0', `judge.fields.${VALUE}.${R}.0`],
        ...[`evaluator_results.0.metrics.${R}.0`, 'evaluator_results.0.summary', 'evaluator_results.0.error'],
      ].sort(),
    );
    expect(redacted.judge?.scores).toEqual({ [VALUE]: NUMBER });
  });

  it('does so in executions.json, but not in the names of steps', () => {
    const redacted = redactFields(Executions.parse(filled(Executions)), Executions, redact);
    expect(Executions.parse(redacted)).toEqual(redacted);
    expect(maskedIn(redacted).sort()).toEqual(
      ['stdout', 'stderr', `files.${VALUE}`, 'filesRemoved.0', `trajectory.0.content.${R}.0`]
        .map((field) => `executions.0.${field}`)
        .sort(),
    );
  });

  it('masks what the judge said, but not its name', () => {
    const judgment = redactFields(Judgment.parse(filled(Judgment)), Judgment, redact);
    expect(judgment.model).toBe(VALUE);
    const answer = redactFields(JudgeAnswer.parse(filled(JudgeAnswer)), JudgeAnswer, redact);
    expect(JudgeAnswer.parse(answer)).toEqual(answer);
    expect(maskedIn(answer)).toEqual(['model_used', 'finish_reason', 'wrong.0', 'problem', 'text']);
  });

  it.each(
    EventBody.options.map((option): [string, (typeof EventBody.options)[number]] => [
      JSON.stringify(filled(option.shape.type)),
      option,
    ]),
  )('keeps the form of an event of type %s', (_, option) => {
    const event = {
      ts: '2026-01-01T00:00:00Z',
      seq: NUMBER,
      attempt: 1,
      ...(filled(option) as object),
    } as RunEvent;
    const redacted = redactFields(event, RunEvent, redact);
    expect(EventBody.parse(redacted).type).toBe(event.type);
    expect(redacted.seq).toBe(NUMBER);
    expect(Object.keys(redacted)).toEqual(Object.keys(event));
    const kept = Object.entries(redacted).filter(([key, field]) => key !== 'type' && field === VALUE);
    // Names by which parts of a scenario are found.
    const names = event.type === 'result' ? ['ending'] : event.type.startsWith('mcp_') ? ['server'] : [];
    expect(kept.map(([key]) => key)).toEqual(names);
  });
});

it('redacts JSON values with telling names, unmarked texts, and fields and kinds that a schema does not have', () => {
  const text = z.string();
  const schema = z.object({
    name: KeptText.min(1).describe('a name').nullable(),
    detail: JsonValue,
    list: z.array(z.union([text, z.number()])),
    byText: z.record(text, KeptText),
    event: EventBody,
  });
  const value = {
    name: VALUE,
    detail: { password: 'hunter2' },
    list: [VALUE],
    byText: { [VALUE]: VALUE },
    event: { type: 'new', ending: VALUE },
    later: VALUE,
  };
  expect(redactFields(value as never, schema, redact)).toEqual({
    name: VALUE,
    detail: { password: R },
    list: [R],
    byText: { [R]: R },
    event: { type: 'new', ending: R },
    later: R,
  });
});
