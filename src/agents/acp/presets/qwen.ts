import { join } from 'node:path';
import { incompleteBy } from '../../streams/stream-events.js';
import { type AcpPreset, jsonFile } from '../preset.js';

const telemetryIn = (home: string): string => join(home, '.qwen/telemetry.log');

/** The attributes of a request to the model, in their order. Of an id, what follows the session says who has asked. */
const ANSWER = /"qwen-code\.prompt_id": "([\w-]+)########\d+",\n *"finish_reason": "(\w+)"/g;

export const qwen: AcpPreset = {
  command: 'qwen',
  install: 'npm install -g @qwen-code/qwen-code@0.24.4',
  args: ['--acp'],
  reading: { usage: 'chunk', failed: /^\[?API Error\b/i },
  mode: 'yolo',
  resume: 'resume',
  mcpProblem: null,
  like: null,
  subject: {
    skill: ({ home }) => join(home, '.qwen/skills'),
    instructions: ({ home }) => join(home, '.qwen/QWEN.md'),
  },
  logs: {
    // It passes on no reason why an answer ended
    lastAnswer: {
      log: ({ home }) => telemetryIn(home),
      records: '/^    "qwen-code\\.prompt_id": /p;/^    "finish_reason": /p',
      sessionProblem(records, session) {
        const last = [...records.matchAll(ANSWER)].findLast(([, id]) => id === session);
        return incompleteBy(last?.[2] ?? '');
      },
    },
  },
  channel: ({ model, address, key, home }) => ({
    env: {
      OPENAI_BASE_URL: address,
      OPENAI_MODEL: model,
      OPENAI_API_KEY: key ?? 'none', // without one, it asks for a login
      // Into a private file, without the prompt
      QWEN_TELEMETRY_ENABLED: 'true',
      QWEN_TELEMETRY_TARGET: 'local',
      QWEN_TELEMETRY_OUTFILE: telemetryIn(home),
      QWEN_TELEMETRY_LOG_PROMPTS: 'false',
    },
    files: [
      jsonFile(join(home, '.qwen/settings.json'), {
        security: { auth: { selectedType: 'openai' } },
        general: { enableAutoUpdate: false },
        // Its own 7 tries are enough: with these, they take 10 minutes or more
        model: { generationConfig: { maxRetries: 0 } },
        privacy: { usageStatisticsEnabled: false },
      }),
    ],
  }),
};
