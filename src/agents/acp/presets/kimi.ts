import { join } from 'node:path';
import type { TokenUsage } from '#model';
import { requestOf, requestReader } from '../../request-reader.js';
import { fieldsOf, fieldsOfLine, type Fields, stringOf, wholeNumberOf } from '../../streams/json-fields.js';
import { incompleteBy } from '../../streams/stream-events.js';
import { type AcpPreset, CONTEXT, KEY_VARIABLE, toml } from '../preset.js';

export const kimi: AcpPreset = {
  command: 'kimi',
  install: 'npm install -g @moonshot-ai/kimi-code@2.1.0',
  args: ['acp'],
  reading: {
    usage: 'none',
    failed: /^(?:Authentication required|API error)\b/i,
    exit: /[^]*failed with exit code: (\d{1,3})\b/,
  },
  mode: 'yolo',
  resume: 'resume',
  mcpProblem: null,
  like: null,
  subject: {
    skill: ({ config }) => join(config, 'kimi/skills'),
    instructions: ({ config }) => join(config, 'kimi/AGENTS.md'),
  },
  logs: {
    lastAnswer: {
      log: ({ config }) => join(config, 'kimi/sessions'),
      records: '/"type":"agent\\.message\\.appended"/p;/^{"type":"turn\\.ended"/p',
      sessionProblem,
    },
    firstRequest: {
      reader: () =>
        requestReader((record) => {
          const usage = usageOf(record);
          return usage === null
            ? null
            : requestOf(usage['inputOther'], usage['inputCacheRead'], usage['inputCacheCreation']);
        }),
      log: ({ config }) => ({ folder: join(config, 'kimi/sessions'), name: 'wire.jsonl' }),
    },
    usageInLog,
  },
  channel: ({ model, address, key, config }) => ({
    env: { KIMI_CODE_HOME: join(config, 'kimi'), [KEY_VARIABLE]: key ?? 'none' },
    files: [
      toml(join(config, 'kimi/config.toml'), [
        'default_model = "cell"',
        'telemetry = false',
        '[loop_control]',
        'max_attempts_per_step = 3',
        '[providers.cell]',
        ['type', 'openai'],
        ['base_url', address],
        ['api_key_env', KEY_VARIABLE],
        '[models.cell]',
        ['provider', 'cell'],
        ['model', model],
        `max_context_size = ${CONTEXT}`,
      ]),
    ],
  }),
};

/** The part of a record that is about an answer of the model. */
const answerIn = ({ type, message }: Fields): Fields =>
  type === 'agent.message.appended' ? fieldsOf(fieldsOf(message)['meta']) : {};

function usageOf(record: Fields): Fields | null {
  const { source, usage } = answerIn(record);
  return source === 'llm' ? fieldsOf(usage) : null;
}

/** The usage of a request. Output includes reasoning tokens. */
function usageInLog(line: string): TokenUsage | null {
  const usage = usageOf(fieldsOfLine(line) ?? {});
  return usage === null
    ? null
    : {
        input: wholeNumberOf(usage['inputOther']),
        output: wholeNumberOf(usage['output']),
        reasoning: null,
        cache_read: wholeNumberOf(usage['inputCacheRead']),
        cache_write: wholeNumberOf(usage['inputCacheCreation']),
      };
}

/** Reads the records of all its sessions. The latest one is about the last answer. */
function sessionProblem(records: string): string | null {
  const times = records.split('\n').flatMap((line) => {
    const record = fieldsOfLine(line);
    return record !== null && typeof record['time'] === 'number' ? [{ record, time: record['time'] }] : [];
  });
  const inOrder = times.toSorted((one, other) => one.time - other.time).map(({ record }) => record);
  const { error } = inOrder.findLast(({ type }) => type === 'turn.ended') ?? {};
  const { message, details } = fieldsOf(error);
  const status = wholeNumberOf(fieldsOf(details)['statusCode']);
  if (typeof message === 'string') return status === null ? message : `HTTP ${status}: ${message}`;
  const last = inOrder.findLast((record) => usageOf(record) !== null);
  return incompleteBy(stringOf(fieldsOf(answerIn(last ?? {})['finish'])['finishReason']) ?? '');
}
