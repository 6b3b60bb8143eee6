import { opencode as adapter } from '../../opencode.js';
import type { AcpPreset } from '../preset.js';

export const opencode: AcpPreset = {
  command: 'opencode',
  install: 'npm install -g opencode-ai@1.18.33',
  args: ['acp'],
  reading: { usage: 'last', failed: /^(?:API )?Error: / },
  mode: null,
  resume: 'resume',
  mcpProblem: null,
  like: adapter,
  choosesModel: true,
  channel: () => ({ env: {} }),
};
