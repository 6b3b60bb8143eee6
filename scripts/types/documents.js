import { z } from 'zod';
import { Calibration } from '../../src/decide/calibration/document.ts';
import { Ranking } from '../../src/decide/ranking/document.ts';
import { AgentEvent, EventBody } from '../../src/model/records/events.ts';
import { Comparison, ComparedConfiguration } from '../../src/decide/comparison/document.ts';
import { GateDetail, Metrics } from '../../src/model/records/result-line.ts';
import { Outcome } from '../../src/model/records/run-facts.ts';
import { AgentRecord, CommandRecord, RunRecord } from '../../src/model/records/run-record.ts';
import { SweepCell, SweepDocument } from '../../src/decide/documents/sweep-document.ts';
import { TokenUsage } from '../../src/model/records/token-usage.ts';
import { comment, typeText } from './type-text.js';

/** The exported types, by name, with what each of them is. @type {Record<string, [z.ZodType, string]>} */
const documents = {
  SweepDocument: [SweepDocument, 'A sweep and its cells: what `show <sweep> --json` prints.'],
  SweepCell: [SweepCell, 'One cell of a sweep. Fields that only a finished run can fill are null until then.'],
  Outcome: [Outcome, 'How a run ended. `error`: nothing can be said of the target.'],
  RunRecord: [RunRecord, 'What ran, where, with which inputs, and how it ended: artifacts/run.json.'],
  AgentRecord: [AgentRecord, 'How the agent of a run was started and ended.'],
  CommandRecord: [CommandRecord, 'One setup command, health check or post script.'],
  TokenUsage: [TokenUsage, 'Tokens. Counts do not overlap; null: unknown.'],
  Metrics: [Metrics, 'Gates and scores of a run: metrics.json.'],
  GateDetail: [GateDetail, 'One gate of a run.'],
  Comparison: [Comparison, 'What `compare --json` prints.'],
  ComparedConfiguration: [ComparedConfiguration, 'Both sides of a scenario with an agent, a model and a variant.'],
  Ranking: [Ranking, 'What `compare --agents --json` prints.'],
  Calibration: [Calibration, 'How far the scores of a judge agree with those of people.'],
  AgentEvent: [AgentEvent, 'A line that an agent with `output = "jsonl"` prints.'],
  EventBody: [EventBody, 'What an agent did, in one of several types of events.'],
};

const HEAD = `/* Generated from the schemas. specs/reference/documents.md explains the documents. */

/** Any value that JSON can represent. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/**
 * A line of events.jsonl. \`ts\` is ISO 8601 in UTC, \`seq\` counts from 1 in a run, \`attempt\` numbers the agent's
 * starts.
 */
export type RunEvent = EventBody & { ts: string; seq: number; attempt: number };
`;

/** Returns the types that src/library/documents.ts exports, without references to schemas. */
export function documentTypes() {
  const registry = /** @type {z.core.$ZodRegistry<{ id?: string | undefined }>} */ (z.registry());
  for (const [name, [schema]] of Object.entries(documents)) registry.add(schema, { id: name });
  const { schemas } = z.toJSONSchema(registry, {
    io: 'output',
    target: 'draft-7',
    unrepresentable: 'any',
    uri: (id) => id,
  });
  const types = Object.entries(documents).map(([name, [, about]]) => {
    const schema = /** @type {import('./type-text.js').Schema} */ (schemas[name]);
    const text = typeText(schema);
    const isMap = schema.properties !== undefined;
    return `${comment(about)}export ${isMap ? `interface ${name} ${text}` : `type ${name} = ${text};`}`;
  });
  return [HEAD, ...types].join('\n\n');
}
