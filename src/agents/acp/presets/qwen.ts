import { join } from 'node:path';
import { type AcpPreset, jsonFile } from '../preset.js';

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
  channel: ({ model, address, key, home }) => ({
    env: {
      OPENAI_BASE_URL: address,
      OPENAI_MODEL: model,
      OPENAI_API_KEY: key ?? 'none', // without one, it asks for a login
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
