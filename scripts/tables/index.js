import { z } from 'zod';
import { CAUSES } from '../../src/agents/failures/causes.ts';
import { RunRecord } from '../../src/model/records/run-record.ts';
import { Executions } from '../../src/model/records/execution.ts';
import { AgentEvent, EventBody } from '../../src/model/records/events.ts';
import { JudgeAnswer, Judgment } from '../../src/model/records/judgment.ts';
import { Firing } from '../../src/decide/documents/firing.ts';
import { Metrics, ResultLine } from '../../src/model/records/result-line.ts';
import { SweepDocument } from '../../src/decide/documents/sweep-document.ts';
import { Ranking } from '../../src/decide/ranking/document.ts';
import { BaselineLine } from '../../src/decide/comparison/baseline.ts';
import { Comparison } from '../../src/decide/comparison/document.ts';
import { Config } from '../../src/scenario/config.ts';
import { Rubric } from '../../src/gates/judge/rubric.ts';
import { MatrixFile } from '../../src/scenario/eliza/matrix.ts';
import { ElizaFile } from '../../src/scenario/eliza/schema.ts';
import { METRICS } from '../../src/engine/metrics/metrics.ts';
import { ScenarioFile } from '../../src/scenario/yaml/schema.ts';
import { fieldRows } from './field-rows.js';
import { keyRows, kindRows } from './kind-rows.js';

/** @typedef {import('./field-rows.js').Schema} Schema */

/** Returns the schema of a file as its author writes it. @param {z.ZodType} schema @returns {Schema} */
const authored = (schema) =>
  /** @type {Schema} */ (z.toJSONSchema(schema, { target: 'draft-7', io: 'input', unrepresentable: 'any' }));

/** Returns the schema of a file as the program writes it. @param {z.ZodType} schema @returns {Schema} */
const written = (schema) =>
  /** @type {Schema} */ (z.toJSONSchema(schema, { target: 'draft-7', io: 'output', unrepresentable: 'any' }));

/**
 * Returns the part of a schema at a path of field names; `[]` stands for the items of a list.
 * @param {Schema} schema
 * @param {string} path
 * @returns {Schema}
 */
const part = (schema, path) =>
  path.split('.').reduce((map, name) => {
    const field = map.properties?.[name.replace('[]', '')] ?? {};
    return name.endsWith('[]') ? (field.items ?? {}) : field;
  }, schema);

const scenario = authored(ScenarioFile);
const eliza = authored(ElizaFile);
const elizaStep = part(eliza, 'run').anyOf?.[1]?.items ?? {};
const config = authored(Config);
const rubric = authored(Rubric);
const gates = part(scenario, 'evaluation.gates[]').oneOf ?? [];

/** Returns the schema of the mocks that have a key. @param {string} key @returns {Schema} */
const mockOf = (key) =>
  part(scenario, 'setup.mocks[]').anyOf?.find(({ properties }) => properties?.[key] !== undefined) ?? {};

/** Escapes the text of a table cell: outside of code, `<x>` would be HTML. @param {string} text */
const escaped = (text) => text.replaceAll('|', '\\|').replace(/`[^`]*`|</g, (part) => (part === '<' ? '\\<' : part));

/**
 * @param {readonly Record<string, string>[]} rows
 * @param {Record<string, string>} columns headings by the keys of a row
 */
function table(rows, columns) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.map((cell) => escaped(cell)).join(' | ')} |`;
  const keys = Object.keys(columns);
  return [
    line(Object.values(columns)),
    line(keys.map(() => '---')),
    ...rows.map((row) => line(keys.map((key) => row[key] ?? ''))),
  ].join('\n');
}

const INPUT = { field: 'field', type: 'type', default: 'default', meaning: 'meaning' };
const OUTPUT = { field: 'field', type: 'type', meaning: 'meaning' };

/** @param {Schema} schema @param {Record<string, string>} [elsewhere] */
const inputTable = (schema, elsewhere) => table(fieldRows(schema, elsewhere), INPUT);

/** Marks fields that may be absent. @param {Schema} schema @param {Record<string, string>} [elsewhere] */
const outputTable = (schema, elsewhere) =>
  table(
    fieldRows(schema, elsewhere).map((row) => ({
      ...row,
      type: row.default === '' ? `${row.type}; may be absent` : row.type,
    })),
    OUTPUT,
  );

/** When an agent is run again, in the words of the reference. */
const RETRIES = {
  never: 'never',
  'if dated': 'when the provider says, if it does',
  busy: 'as [busy](#waiting)',
  limit: 'when it [resets](#waiting)',
  start: 'at once, at most twice',
};

/** The tables of the reference pages, by the names of their blocks. @type {Readonly<Record<string, string>>} */
export const tables = {
  scenario: inputTable(scenario, {
    target: '[Target](#target)',
    evaluation: '[evaluation.md](evaluation.md)',
    'matrix.variants': '[Variants](#variants)',
    mock: '[Mock](#mock)',
    'setup.mocks': '[Mocks](#mocks)',
    'setup.database': '[Databases](#databases)',
  }),
  eliza: inputTable(eliza, {
    run: '[Steps](#steps)',
    'setup.mocks': '[Mocks](scenarios.md#mocks)',
    'setup.database': '[Databases](scenarios.md#databases), [runtime](#elizaos-runtime)',
  }),
  'eliza-steps': inputTable(elizaStep, { conversation: '[Conversations](#conversations)' }),
  'eliza-conversation': inputTable(part(elizaStep, 'conversation')),
  'eliza-runtime-database': inputTable(part(eliza, 'setup.database').anyOf?.at(-1) ?? {}),
  'eliza-matrix': inputTable(authored(MatrixFile)),
  'mocked-commands': inputTable(mockOf('command')),
  'mocked-endpoints': inputTable(mockOf('endpoint')),
  'mocked-services': inputTable(mockOf('service')),
  'mocked-tools': inputTable(mockOf('mcp')),
  'mcp-server': inputTable(part(part(scenario, 'subject').anyOf?.[0] ?? {}, 'mcp')),
  'database-sqlite': inputTable(part(scenario, 'setup.database').anyOf?.[0] ?? {}),
  'database-postgres': inputTable(part(scenario, 'setup.database').anyOf?.[1] ?? {}),
  target: inputTable(part(config, 'target')),
  variant: inputTable(part(scenario, 'matrix.variants[]')),
  'mock-steps': table(keyRows(part(scenario, 'mock.steps[]').anyOf ?? []), {
    kind: 'step',
    fields: 'fields',
    meaning: 'effect',
  }),
  config: inputTable(config, { target: '[Target](scenarios.md#target)' }),
  evaluation: inputTable(part(scenario, 'evaluation'), { gates: '[Gates](#gates)' }),
  gates: table(kindRows(gates, { leaveOut: ['name', 'timeout_secs'] }), {
    kind: 'type',
    fields: 'fields',
    meaning: 'passes if',
  }),
  rubric: inputTable(rubric),
  'worker-metrics': table(
    Object.values(METRICS).map(({ kind, name, help, labels }) => ({
      name: `\`${name}\``,
      kind,
      labels: labels.map((label) => `\`${label}\``).join(', '),
      meaning: help,
    })),
    { name: 'metric', kind: 'type', labels: 'labels', meaning: 'meaning' },
  ),
  'results-line': outputTable(written(ResultLine), { metrics: '[metrics.json](#metricsjson)' }),
  metrics: outputTable(written(Metrics), { judge: '[The judge](#the-judge)' }),
  judge: outputTable(written(Judgment)),
  'judge-answer': outputTable(written(JudgeAnswer)),
  run: outputTable(written(RunRecord)),
  firing: outputTable(written(Firing)),
  'agent-events': table(
    (authored(AgentEvent).oneOf ?? []).flatMap(({ properties = {}, required = [], description = '' }) => {
      const { type, ...fields } = properties;
      return [
        { event: `\`${String(type?.const)}\``, field: '', type: '', meaning: description },
        ...fieldRows({ properties: fields, required }).map(({ default: presence, ...row }) => ({
          ...row,
          event: '',
          type: presence === '' ? `${row.type}; may be absent` : row.type,
        })),
      ];
    }),
    { event: 'event', field: 'field', type: 'type', meaning: 'meaning' },
  ),
  events: table(kindRows(written(EventBody).oneOf ?? []), {
    kind: 'type',
    fields: 'fields',
    meaning: 'meaning',
  }),
  causes: table(
    Object.values(CAUSES).map(({ covers, ending, retry }) => ({
      covers,
      ending: `\`${ending}\``,
      outcome: ending === 'unable' ? '`error`' : 'the gates decide',
      retry: RETRIES[retry],
    })),
    { covers: 'cause', ending: 'ending', outcome: 'outcome', retry: 'run again' },
  ),
  executions: outputTable(written(Executions)),
  sweep: outputTable(written(SweepDocument)),
  ranking: outputTable(written(Ranking), { calibration: 'as `calibration` of [summary.json](#summaryjson)' }),
  comparison: outputTable(written(Comparison), {
    'calibration.base': 'as `calibration` of [summary.json](#summaryjson)',
    'calibration.head': 'as `calibration` of [summary.json](#summaryjson)',
  }),
  baseline: outputTable(written(BaselineLine)),
};
