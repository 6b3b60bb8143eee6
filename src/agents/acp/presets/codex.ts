import { codex as adapter } from '../../codex.js';
import type { AcpPreset } from '../preset.js';

export const codex: AcpPreset = {
  command: 'codex-acp',
  install: 'npm install -g @agentclientprotocol/codex-acp@2.6.0',
  args: [],
  reading: { usage: 'turn', failed: /^(?:exceeded retry limit|unexpected status|stream disconnected)\b/ },
  mode: 'agent-full-access',
  resume: 'resume',
  mcpProblem: null,
  like: adapter,
  channel: () => ({ env: {} }),
};
