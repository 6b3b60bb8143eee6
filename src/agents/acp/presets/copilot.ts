import { join } from 'node:path';
import { fieldsOf, fieldsOfLine, stringOf } from '../../streams/json-fields.js';
import { incompleteBy } from '../../streams/stream-events.js';
import { type AcpPreset, NO_MCP } from '../preset.js';

export const copilot: AcpPreset = {
  command: 'copilot',
  install: 'npm install -g @github/copilot@1.0.102',
  args: ['--acp', '--no-auto-update'],
  reading: { usage: 'session', failed: /^(?:Info: Re|Warning: \d+ tool|Error: )/ },
  mode: null,
  options: { allow_all: 'on' },
  resume: 'load',
  mcpProblem: NO_MCP,
  like: null,
  subject: {
    skill: ({ config }) => join(config, 'copilot/skills'),
    instructions: ({ config }) => join(config, 'copilot/copilot-instructions.md'),
  },
  logs: {
    lastAnswer: {
      log: ({ config }, session) => join(config, 'copilot/session-state', session),
      records: '/^{"type":"session\\.usage_record"/p',
      sessionProblem(records, session) {
        const usages = records.split('\n').map((line) => fieldsOf(fieldsOf(fieldsOfLine(line)?.['data'])['usage']));
        const last = usages.findLast(({ accounting }) => fieldsOf(accounting)['sourceSessionId'] === session);
        return incompleteBy(stringOf(last?.['finishReason']) ?? '');
      },
    },
  },
  speaksAnthropic: true,
  channel: ({ provider, model, address, key, config }) => ({
    env: {
      COPILOT_HOME: join(config, 'copilot'),
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_TYPE: provider === 'anthropic' ? 'anthropic' : 'openai',
      COPILOT_PROVIDER_BASE_URL: address,
      COPILOT_MODEL: model,
      ...(key === null ? {} : { COPILOT_PROVIDER_API_KEY: key }),
    },
  }),
};
