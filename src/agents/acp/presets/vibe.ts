import { join } from 'node:path';
import { fieldsOf, fieldsOfLine, stringOf } from '../../streams/json-fields.js';
import { incompleteBy } from '../../streams/stream-events.js';
import { type AcpPreset, KEY_VARIABLE, toml } from '../preset.js';

export const vibe: AcpPreset = {
  command: 'vibe-acp',
  install: 'pip install mistral-vibe==3.0.2',
  args: [],
  reading: {
    usage: 'session',
    keepsTotals: true,
    undercounts: true,
    failed: /^(?:API )?Error\b/,
    hidesFailures: true,
    statuses: { [-31_001]: 429, [-31_002]: 401 },
  },
  mode: 'auto-approve',
  resume: 'resume', // although it does not declare it; loading hangs
  mcpProblem: null,
  like: null,
  subject: {
    skill: ({ config }) => join(config, 'vibe/skills'),
    instructions: ({ config }) => join(config, 'vibe/AGENTS.md'),
  },
  logs: {
    lastAnswer: {
      log: ({ config }, session) => join(config, 'vibe/logs/session/unified', session, 'journal'),
      records: '/"result":{"finish_reason":/p',
      sessionProblem(records) {
        const answers = records.split('\n').flatMap((line) => {
          const { sequence, payload } = fieldsOfLine(line) ?? {};
          const reason = stringOf(fieldsOf(fieldsOf(fieldsOf(payload)['result'])['result'])['finish_reason']);
          return typeof sequence === 'number' && reason !== null ? [{ sequence, reason }] : [];
        });
        return incompleteBy(answers.toSorted((one, other) => one.sequence - other.sequence).at(-1)?.reason ?? '');
      },
    },
  },
  channel: ({ model, address, key, config }) => ({
    env: { VIBE_HOME: join(config, 'vibe'), [KEY_VARIABLE]: key ?? 'none' },
    files: [
      toml(join(config, 'vibe/config.toml'), [
        'active_model = "cell"',
        'enable_telemetry = false',
        'enable_update_checks = false',
        'enable_auto_update = false',
        // Else it tries a request again for 5 minutes
        'api_retry_max_elapsed_time = 20.0',
        // A title that comes late makes it discard the record of why the last answer ended
        '[session_logging]',
        'generate_titles = false',
        '[[providers]]',
        ['name', 'cell'],
        ['api_base', address],
        ['api_key_env_var', KEY_VARIABLE],
        '[[models]]',
        ['name', model],
        ['provider', 'cell'],
        ['alias', 'cell'],
      ]),
    ],
  }),
};
