import { join } from 'node:path';
import { ownValue, withVersion } from '#lib';
import type { Agent, AgentRequest, AgentSettings, LaunchFile, ModelAccess } from '../agent.js';
import { claudeCode } from '../claude-code.js';
import { codex } from '../codex.js';
import { gemini } from '../gemini.js';
import { opencode } from '../opencode.js';
import type { AcpReading } from '../streams/acp-reading.js';
import type { AcpResume } from './acp-file.js';

/** The settings for a model and its key. The key goes into a variable, never into a file. */
interface Channel {
  args?: string[];
  env: Record<string, string>;
  files?: LaunchFile[];
}

/** The model of a cell, at a provider with an API like OpenAI's, or Anthropic's. */
interface Choice extends Pick<AgentRequest, 'home' | 'config'> {
  provider: string;
  model: string;
  address: string;
  key: string | null;
}

/** The facts about an agent that speaks ACP (specs/reference/agents.md has the versions that were tried). */
export interface AcpPreset {
  command: string;
  /** The command that installs the version that was tried. */
  install?: string;
  args: readonly string[];
  reading: AcpReading;
  /** The session mode in which it asks for nothing. Null if it needs none. */
  mode: string | null;
  options?: Readonly<Record<string, string>>;
  /** The request that continues a session that was killed within a command. Null if there is none. */
  resume: AcpResume | null;
  /** The reason why it cannot be given MCP servers. Null if it can. */
  mcpProblem: string | null;
  /**
   * The adapter whose variables and files it shares, and whose places of skills and instructions; or else how it gets
   * its model.
   */
  like: ((settings: AgentSettings) => Agent) | null;
  channel: (choice: Choice) => Channel;
  /** Set if it can also use Anthropic's API. */
  speaksAnthropic?: true;
  /** Set if it is told its model in the session. */
  choosesModel?: true;
}

const KEY_VARIABLE = 'LLM_TOOL_TEST_AGENT_KEY';

const NO_MCP = 'it does not start the servers that it is given';

/** The size that agents must be told of a model that they do not know, in tokens. */
const CONTEXT = 128_000;

const PRESETS: Readonly<Record<string, AcpPreset>> = {
  copilot: {
    command: 'copilot',
    install: 'npm install -g @github/copilot@1.0.102',
    args: ['--acp', '--no-auto-update'],
    reading: { usage: 'session', failed: /^(?:Info: Re|Warning: \d+ tool|Error: )/ },
    mode: null,
    options: { allow_all: 'on' },
    resume: 'load',
    mcpProblem: NO_MCP,
    like: null,
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
  },
  qwen: {
    command: 'qwen',
    install: 'npm install -g @qwen-code/qwen-code@0.24.4',
    args: ['--acp'],
    reading: { usage: 'chunk', failed: /^\[?API Error\b/i },
    mode: 'yolo',
    resume: 'resume',
    mcpProblem: null,
    like: null,
    channel: ({ model, address, key, home }) => ({
      env: {
        OPENAI_BASE_URL: address,
        OPENAI_MODEL: model,
        OPENAI_API_KEY: key ?? 'none', // without one, it asks for a login
      },
      files: [
        file(join(home, '.qwen/settings.json'), {
          security: { auth: { selectedType: 'openai' } },
          general: { enableAutoUpdate: false },
          privacy: { usageStatisticsEnabled: false },
        }),
      ],
    }),
  },
  kimi: {
    command: 'kimi',
    install: 'npm install -g @moonshot-ai/kimi-code@2.1.0',
    args: ['acp'],
    reading: {
      usage: 'none',
      failed: /^(?:Authentication required|API error)\b/i,
      exit: /[^]*failed with exit code: (\d{1,3})\b/,
    },
    mode: 'yolo',
    resume: 'resume',
    mcpProblem: null,
    like: null,
    channel: ({ model, address, key, config }) => ({
      env: { KIMI_CODE_HOME: join(config, 'kimi'), [KEY_VARIABLE]: key ?? 'none' },
      files: [
        toml(join(config, 'kimi/config.toml'), [
          'default_model = "cell"',
          'telemetry = false',
          '[providers.cell]',
          ['type', 'openai'],
          ['base_url', address],
          ['api_key_env', KEY_VARIABLE],
          '[models.cell]',
          ['provider', 'cell'],
          ['model', model],
          `max_context_size = ${CONTEXT}`,
        ]),
      ],
    }),
  },
  vibe: {
    command: 'vibe-acp',
    install: 'pip install mistral-vibe==3.0.2',
    args: [],
    reading: {
      usage: 'session',
      keepsTotals: true,
      failed: /^(?:API )?Error\b/,
      hidesFailures: true,
      statuses: { [-31_002]: 401 },
    },
    mode: 'auto-approve',
    resume: 'resume', // although it does not declare it; loading hangs
    mcpProblem: null,
    like: null,
    channel: ({ model, address, key, config }) => ({
      env: { VIBE_HOME: join(config, 'vibe'), [KEY_VARIABLE]: key ?? 'none' },
      files: [
        toml(join(config, 'vibe/config.toml'), [
          'active_model = "cell"',
          'enable_telemetry = false',
          'enable_update_checks = false',
          'enable_auto_update = false',
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
  },
  hermes: {
    command: 'hermes',
    install: "pip install 'hermes-agent[acp]==0.19.0'",
    args: ['acp'],
    reading: {
      usage: 'session',
      failed: /^(?:HTTP \d{3}\b|API call failed after\b|Error: )/,
      everyExit: /[^]*\*\*exit_code:\*\* (\d{1,3})\b/,
      leavesCallsOpen: true,
      asksApart: true,
    },
    mode: 'dont_ask',
    resume: 'listed',
    mcpProblem: NO_MCP,
    like: null,
    channel: ({ model, address, key, config }) => ({
      env: { HERMES_HOME: join(config, 'hermes'), OPENAI_API_KEY: key ?? 'none' },
      // JSON is YAML, too
      files: [
        file(join(config, 'hermes/config.yaml'), { model: { provider: 'custom', default: model, base_url: address } }),
      ],
    }),
  },
  'fast-agent': {
    command: 'fast-agent-acp',
    install: 'pip install fast-agent-acp==0.10.48',
    args: ['-x'],
    reading: { usage: 'none', failed: /^(?:Error\b|HTTP \d{3}\b)/, hidesFailures: true, leavesCallsOpen: true },
    mode: null,
    resume: null,
    mcpProblem: null,
    like: null,
    channel: ({ model, address, key }) => ({
      args: ['--model', `generic.${model}`],
      env: { GENERIC_BASE_URL: address, GENERIC_API_KEY: key ?? 'none' },
    }),
  },
  opencode: {
    command: 'opencode',
    install: 'npm install -g opencode-ai@1.18.33',
    args: ['acp'],
    reading: { usage: 'last', failed: /^(?:API )?Error: / },
    mode: null,
    resume: 'resume',
    mcpProblem: null,
    like: opencode,
    choosesModel: true,
    channel: () => ({ env: {} }),
  },
  gemini: {
    command: 'gemini',
    install: 'npm install -g @google/gemini-cli@0.61.0',
    args: ['--acp', '--skip-trust'],
    reading: { usage: 'turn', failed: /^\[?API Error\b/, hidesFailures: true },
    mode: 'yolo',
    resume: null, // it finds no session
    mcpProblem: null,
    like: gemini,
    channel: ({ model }) => ({ args: model === 'default' ? [] : ['-m', model], env: {} }),
  },
  claude: {
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
  },
  codex: {
    command: 'codex-acp',
    install: 'npm install -g @agentclientprotocol/codex-acp@2.6.0',
    args: [],
    reading: { usage: 'turn', failed: /^(?:exceeded retry limit|unexpected status|stream disconnected)\b/ },
    mode: 'agent-full-access',
    resume: 'resume',
    mcpProblem: null,
    like: codex,
    channel: () => ({ env: {} }),
  },
};

/** The presets, as the config names them. */
export const acpPresetNames: readonly string[] = Object.keys(PRESETS);

/** @throws for a name that the config's schema has refused */
export function presetOf(name: string): AcpPreset {
  const preset = ownValue<AcpPreset>(PRESETS, name);
  if (preset === undefined) throw new Error(`there is no preset ${name}`);
  return preset;
}

/** The presets of agents that have no other adapter. These are agents of their own. */
export const acpAgentNames: readonly string[] = acpPresetNames.filter((name) => presetOf(name).like === null);

/** An agent of which only the config says anything. Nothing that it leaves open is guessed. */
export const UNTRIED: AcpPreset = {
  command: '',
  args: [],
  reading: {
    usage: 'last',
    failed: /^(?:API )?Error: |^HTTP \d{3}\b|^API (?:Error|call failed)\b/i,
    isUntried: true,
    hidesFailures: true,
  },
  mode: null,
  resume: null,
  mcpProblem: null,
  like: null,
  choosesModel: true,
  channel: () => ({ env: {} }),
};

const OPENAI = 'https://api.openai.com/v1';
const ANTHROPIC = 'https://api.anthropic.com';

/** The address of a provider's API. The one of a configured provider is complete. */
export const addressOf = (provider: string, access: ModelAccess | null): string =>
  provider === 'anthropic'
    ? (access?.baseUrl ?? ANTHROPIC)
    : provider === 'openai'
      ? withVersion(access?.baseUrl ?? OPENAI, '/v1')
      : (access?.baseUrl ?? '');

const file = (path: string, content: object): LaunchFile => ({ path, content: JSON.stringify(content, null, 2) });

/** A TOML file of lines, and of names with texts. A TOML string is like a JSON string, except that DEL is escaped. */
const toml = (path: string, lines: readonly (string | [name: string, value: string])[]): LaunchFile => ({
  path,
  content: lines
    .map((line) =>
      typeof line === 'string' ? line : `${line[0]} = ${JSON.stringify(line[1]).replaceAll('\u007F', '\\u007f')}`,
    )
    .concat('')
    .join('\n'),
});
