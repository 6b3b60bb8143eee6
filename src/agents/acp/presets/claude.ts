import { claudeCode } from '../../claude-code.js';
import type { AcpPreset } from '../preset.js';

export const claude: AcpPreset = {
  command: 'claude-agent-acp',
  install: 'npm install -g @agentclientprotocol/claude-agent-acp@0.101.0',
  args: [],
  reading: {
    usage: 'turn',
    failed: /^(?:API Error\b|Invalid API key\b)/,
    exit: /^Exit code (\d{1,3})\b/,
    cost: true,
  },
  mode: 'bypassPermissions', // its own mode has another model decide about commands
  resume: 'resume',
  mcpProblem: null,
  like: claudeCode,
  channel: ({ model }) => ({ env: model === 'default' ? {} : { ANTHROPIC_MODEL: model } }),
};
