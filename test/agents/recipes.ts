import { join } from 'node:path';
import type { CliName } from './clis.js';

/** The settings for the start of a real agent. */
export interface Place {
  /** Address of the model server. */
  url: string;
  /** An empty private folder. */
  home: string;
  prompt: string;
}

/** The start of a real agent without its adapter. */
interface Recipe {
  args: string[];
  env: Record<string, string>;
  files: { path: string; content: string }[];
  /** True if the stream contains the event that proves success. */
  succeeded(events: Record<string, unknown>[]): boolean;
}

const KEY = 'key-of-the-test';
const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** Found by experiment; the options are described in each agent's documentation. */
export const RECIPES: Record<CliName, (place: Place) => Recipe> = {
  'claude-code': ({ url, home, prompt }) => ({
    args: [
      ...['-p', prompt, '--output-format', 'stream-json', '--verbose', '--model', 'claude-sonnet-4-5'],
      ...['--permission-mode', 'bypassPermissions', '--strict-mcp-config', '--setting-sources', ''],
    ],
    env: {
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: url,
      CLAUDE_CONFIG_DIR: join(home, 'claude'),
      IS_SANDBOX: '1', // otherwise root may not bypass permissions
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      CLAUDE_CODE_MAX_RETRIES: '2',
      API_TIMEOUT_MS: '60000',
    },
    files: [],
    succeeded: (events) =>
      events.some(
        ({ type, is_error, terminal_reason }) =>
          type === 'result' && is_error === false && terminal_reason === 'completed',
      ),
  }),
  codex: ({ url, home, prompt }) => ({
    args: ['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
    env: { CODEX_HOME: join(home, 'codex'), SCRIPTED_KEY: KEY },
    files: [
      {
        path: join(home, 'codex', 'config.toml'),
        content: [
          'model = "gpt-5.5"',
          'model_provider = "scripted"',
          'check_for_update_on_startup = false',
          '[features]',
          'plugins = false',
          '[analytics]',
          'enabled = false',
          '[model_providers.scripted]',
          'name = "scripted"',
          `base_url = "${url}/v1"`,
          'env_key = "SCRIPTED_KEY"',
          'wire_api = "responses"',
          'supports_websockets = false',
          'request_max_retries = 2',
          'stream_max_retries = 2',
        ].join('\n'),
      },
    ],
    succeeded: (events) => events.some(({ type }) => type === 'turn.completed'),
  }),
  opencode: ({ url, home, prompt }) => ({
    args: [
      ...['run', '--format', 'json', '--pure', '--auto', '-m', 'scripted/scripted-model'],
      ...['--title', 'a task', prompt],
    ],
    env: {
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_DATA_HOME: join(home, 'data'),
      XDG_STATE_HOME: join(home, 'state'),
      XDG_CACHE_HOME: join(home, 'cache'),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_CONFIG_CONTENT: json({
        autoupdate: false,
        share: 'disabled',
        snapshot: false,
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            name: 'scripted',
            options: { baseURL: `${url}/v1`, apiKey: KEY },
            models: {
              'scripted-model': {
                name: 'scripted-model',
                tool_call: true,
                limit: { context: 200_000, output: 8000 },
                cost: { input: 1, output: 2 },
              },
            },
          },
        },
      }),
    },
    // Otherwise it asks npm's registry.
    files: [{ path: join(home, 'config', 'opencode', '.npmrc'), content: 'offline=true\n' }],
    succeeded: (events) =>
      events.some(({ type, part }) => type === 'step_finish' && (part as { reason: string }).reason === 'stop'),
  }),
  gemini: ({ url, home, prompt }) => ({
    args: [...['-p', prompt, '-o', 'stream-json', '-m', 'gemini-2.5-flash', '--approval-mode', 'yolo', '--skip-trust']],
    env: {
      GEMINI_API_KEY: KEY,
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_HOME: home,
      GEMINI_CLI_NO_RELAUNCH: 'true',
    },
    files: [
      {
        path: join(home, '.gemini', 'settings.json'),
        content: json({
          security: { auth: { selectedType: 'gemini-api-key' } },
          general: { enableAutoUpdate: false, maxAttempts: 2 },
          privacy: { usageStatisticsEnabled: false },
        }),
      },
    ],
    succeeded: (events) => events.some(({ type, status }) => type === 'result' && status === 'success'),
  }),
  pi: ({ url, home, prompt }) => ({
    args: [
      ...['--mode', 'json', '-p', '--provider', 'scripted', '--model', 'scripted-model', '--no-extensions'],
      ...['--no-skills', '--no-prompt-templates', '--offline', '--session-dir', join(home, 'sessions'), prompt],
    ],
    env: { PI_CODING_AGENT_DIR: join(home, 'pi'), PI_OFFLINE: '1', PI_TELEMETRY: '0' },
    files: [
      {
        path: join(home, 'pi', 'models.json'),
        content: json({
          providers: {
            scripted: {
              baseUrl: `${url}/v1`,
              api: 'openai-completions',
              apiKey: KEY,
              models: [
                {
                  id: 'scripted-model',
                  name: 'scripted-model',
                  reasoning: false,
                  input: ['text'],
                  cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 0 },
                  contextWindow: 200_000,
                  maxTokens: 8000,
                },
              ],
            },
          },
        }),
      },
    ],
    succeeded: (events) => {
      const last = events.filter(({ type }) => type === 'message_end').at(-1);
      const ended = events.some(({ type }) => type === 'agent_end');
      return ended && (last?.['message'] as { stopReason?: string } | undefined)?.stopReason === 'stop';
    },
  }),
};
