import { gemini as adapter } from '../../gemini.js';
import type { AcpPreset } from '../preset.js';

export const gemini: AcpPreset = {
  command: 'gemini',
  install: 'npm install -g @google/gemini-cli@0.61.0',
  args: ['--acp', '--skip-trust'],
  reading: { usage: 'turn', failed: /^\[?API Error\b/, hidesFailures: true },
  mode: 'yolo',
  resume: null, // it finds no session
  mcpProblem: null,
  like: adapter,
  channel: ({ model }) => ({ args: model === 'default' ? [] : ['-m', model], env: {} }),
};
