import type { AcpPreset } from '../preset.js';

export const fastAgent: AcpPreset = {
  command: 'fast-agent',
  install: 'pip install fast-agent-mcp==0.10.48',
  args: ['acp', '-x', '--no-permissions'],
  reading: {
    usage: 'none',
    failed: /^I hit an internal error while calling the model:/,
    failsAsRefusal: true,
    hidesFailures: true,
    leavesCallsOpen: true,
  },
  mode: null,
  resume: null,
  mcpProblem: null,
  like: null,
  channel: ({ model, address, key }) => ({
    args: ['--model', `generic.${model}`],
    env: { GENERIC_BASE_URL: address, GENERIC_API_KEY: key ?? 'none', FAST_AGENT_RETRIES: '1' },
  }),
};
