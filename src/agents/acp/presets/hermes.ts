import { join } from 'node:path';
import { type AcpPreset, KEY_VARIABLE, NO_MCP, jsonFile } from '../preset.js';

export const hermes: AcpPreset = {
  command: 'hermes',
  install: "pip install 'hermes-agent[acp]==0.19.0'",
  args: ['acp'],
  reading: {
    usage: 'session',
    failed:
      /^(?:\u26A0\uFE0F? {1,2}The model declined\b|HTTP \d{3}\b|API call failed after\b|Context length exceeded\b|Error: )/,
    everyExit: /[^]*\*\*exit_code:\*\* (\d{1,3})\b/,
    leavesCallsOpen: true,
    asksApart: true,
  },
  mode: 'dont_ask',
  resume: 'listed',
  mcpProblem: NO_MCP,
  like: null,
  subject: {
    skill: ({ config }) => join(config, 'hermes/skills'),
    instructions: ({ config }) => join(config, 'hermes/SOUL.md'),
  },
  channel: ({ model, address, key, config }) => ({
    env: { HERMES_HOME: join(config, 'hermes'), [KEY_VARIABLE]: key ?? 'none' },
    // JSON is YAML, too
    files: [
      jsonFile(join(config, 'hermes/config.yaml'), {
        model: { provider: 'custom:cell', default: model, base_url: address },
        // It sends OPENAI_API_KEY to OpenAI's hosts only
        custom_providers: [{ name: 'cell', base_url: address, key_env: KEY_VARIABLE }],
      }),
    ],
  }),
};
