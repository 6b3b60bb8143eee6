import { join } from 'node:path';
import { splitModel, withoutVersion } from '#lib';
import type { Agent, AgentEnd, AgentRequest, AgentSettings, Classified, LoginFile } from './agent.js';
import { classifyByResult } from './failures/classify.js';
import { geminiStream, sessionProblem } from './streams/gemini.js';
import { mcpSettings } from './subject-files.js';
import { meaningfulLines } from './failures/stderr-noise.js';
import { fieldsOf } from './streams/json-fields.js';
import { requestOf, requestReader, type RequestReader } from './request-reader.js';

/** Gemini CLI. Its folder `.gemini` is in `config`. */
export function gemini(settings: AgentSettings): Agent {
  const { command = 'gemini', args, env, models } = settings;
  const login = settings.auth === 'login';
  return {
    name: 'gemini',
    program: command,
    mountable: true,
    free: false,
    models,
    provider: () => 'google',
    modelProblem(model) {
      const { provider } = splitModel(model, 'google');
      return provider === 'google'
        ? null
        : `gemini only runs Google's models, not those of ${provider}; use one like "gemini-2.5-flash"`;
    },
    login: login ? ['oauth_creds.json', 'google_accounts.json'].map(loginFile) : null,
    subject: {
      skill: (folders) => join(folderOf(folders.config), 'skills'),
      instructions: (folders) => join(folderOf(folders.config), 'GEMINI.md'),
    },
    mcpProblem: null,
    limitsTurns: true,
    version: [command, '--version'],
    launch(request) {
      const { model } = splitModel(request.model, 'google');
      return {
        argv: [
          ...[command, '-o', 'stream-json', '--approval-mode', settings.mode ?? 'yolo', '--skip-trust'],
          ...(model === 'default' ? [] : ['-m', model]),
          ...args,
        ],
        env: { ...variables(request, login), ...telemetry(request, env), ...env },
        stdin: request.prompt,
        files: filesOf(request, login),
      };
    },
    // A resumed session sends each tool result twice, which Google's API rejects (Gemini CLI 0.61.0).
    resume: null,
    parser: geminiStream,
    firstRequest: {
      reader: geminiRequest,
      // The name has only the beginning of the id.
      log: ({ config }, session) => ({
        folder: join(folderOf(config), 'tmp'),
        name: `session-*-${session.slice(0, 8)}.jsonl`,
      }),
    },
    lastAnswer: {
      log: telemetryOf,
      records: '/^    "event.name": "gemini_cli.api_response",$/,/^  }/p',
      sessionProblem,
    },
    classify: classifyGemini,
  };
}

const folderOf = (config: string): string => join(config, '.gemini');

const telemetryOf = ({ config }: Pick<AgentRequest, 'config'>): string => join(folderOf(config), 'telemetry.log');

const loginFile = (name: string): LoginFile => ({
  home: `.gemini/${name}`,
  at: ({ config }) => join(folderOf(config), name),
});

function variables({ config, access }: AgentRequest, login: boolean): Record<string, string> {
  const { key, baseUrl } = login || access === null ? { key: null, baseUrl: null } : access;
  return {
    GEMINI_CLI_HOME: config,
    GEMINI_CLI_NO_RELAUNCH: 'true', // otherwise there is another process between it and its supervisor
    ...(key === null ? {} : { GEMINI_API_KEY: key }),
    ...(baseUrl === null ? {} : { GOOGLE_GEMINI_BASE_URL: withoutVersion(baseUrl) }),
  };
}

/**
 * Has it write its telemetry to a private file, which alone says why an answer ended. Variables win over all settings,
 * so nothing is sent. Together with settings of the user for telemetry, these might send something.
 */
const telemetry = (request: AgentRequest, env: Record<string, string>): Record<string, string> =>
  Object.keys(env).some((name) => name.startsWith('GEMINI_TELEMETRY_'))
    ? {}
    : {
        GEMINI_TELEMETRY_ENABLED: 'true',
        GEMINI_TELEMETRY_TARGET: 'local',
        GEMINI_TELEMETRY_OUTFILE: telemetryOf(request),
        GEMINI_TELEMETRY_LOG_PROMPTS: 'false',
      };

/** The text before the prompt becomes the user's GEMINI.md, because there is no option to extend the system prompt. */
function filesOf(
  { config, maxTurns, system, mcpServers: programs }: AgentRequest,
  login: boolean,
): { path: string; content: string }[] {
  const mcpServers = mcpSettings({ mcpServers: programs });
  const settings = {
    security: { auth: { selectedType: login ? 'oauth-personal' : 'gemini-api-key' } },
    // The workflow retries more patiently.
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 2 },
    privacy: { usageStatisticsEnabled: false },
    ...(maxTurns === null ? {} : { model: { maxSessionTurns: maxTurns } }),
    ...(mcpServers === null ? {} : { mcpServers }),
  };
  return [
    { path: join(folderOf(config), 'settings.json'), content: JSON.stringify(settings, null, 2) },
    ...(system === null ? [] : [{ path: join(folderOf(config), 'GEMINI.md'), content: system }]),
  ];
}

/** Its exit status if the login could not be used. */
const NOT_AUTHENTICATED = 41;

/** If the message lacks the provider's HTTP status, takes it from the exit status, which is its lowest byte. */
function classifyGemini(end: AgentEnd): Classified {
  const { error, exitCode } = end;
  if (exitCode === NOT_AUTHENTICATED && error?.status === undefined) {
    const message = error?.message ?? meaningfulLines(end.stderr).at(-1) ?? 'the login could not be used';
    return classifyByResult({ ...end, error: { type: 'error', message, retryable: false, status: 401 } });
  }
  const status = exitCode + 256;
  if (error === null || error.status !== undefined || status < 400 || status > 511) return classifyByResult(end);
  return classifyByResult({ ...end, error: { ...error, status } });
}

/**
 * Reads the file of a session, in which a message of the model has the tokens of its request. Its count of input
 * includes what was read from a cache. A first message without tokens may be given those of a later request, so it must
 * have them when it is first written.
 */
export const geminiRequest = (): RequestReader =>
  requestReader(({ type, tokens }) => (type === 'gemini' ? requestOf(fieldsOf(tokens)['input']) : null));
