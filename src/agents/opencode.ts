import { join } from 'node:path';
import { ownValue, parseModelName, withVersion } from '#lib';
import { unknownRequest } from '#model';
import type { Agent, AgentEnd, AgentLaunch, AgentRequest, AgentSettings } from './agent.js';
import { emptyRepository } from './folders-above.js';
import { classifyByResult } from './failures/classify.js';
import { opencodeStream } from './streams/opencode.js';
import { fieldsOf } from './streams/json-fields.js';
import { requestOf, requestReader, type RequestReader } from './request-reader.js';

/** Providers that OpenCode knows, and the version that their address must end with. */
const VERSIONS: Readonly<Record<string, string>> = { anthropic: '/v1', openai: '/v1', google: '/v1beta' };
/** The variable by which its config refers to the key. */
const KEY_VARIABLE = 'LLM_TOOL_TEST_AGENT_KEY';

/** OpenCode, headless. Its folders are in HOME. Variables that move them would move those of other tools too. */
export function opencode(settings: AgentSettings): Agent {
  const { command = 'opencode' } = settings;

  const launch = (request: AgentRequest, session: string[], stdin: string): AgentLaunch => {
    const system = join(request.config, 'system.md');
    const files = [
      // Otherwise it contacts the npm registry.
      { path: join(request.home, '.config/opencode/.npmrc'), content: 'offline=true\n' },
      ...(request.system === null ? [] : [{ path: system, content: request.system }]),
      ...emptyRepository(request),
    ];
    const { key } = request.access ?? { key: null };
    return {
      argv: [
        ...[command, 'run', '--format', 'json', '--thinking', '--pure', '--auto', '-m', request.model],
        ...['--print-logs', '--log-level', 'ERROR'],
        ...(settings.effort === undefined ? [] : ['--variant', settings.effort]),
        ...session,
        ...settings.args,
      ],
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify({
          autoupdate: false,
          share: 'disabled',
          snapshot: false,
          provider: providerConfig(request),
          ...(request.system === null ? {} : { instructions: [system] }),
          ...mcpConfig(request),
        }),
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
        ...(key === null ? {} : { [KEY_VARIABLE]: key }),
        ...settings.env,
      },
      stdin,
      files,
    };
  };

  return {
    name: 'opencode',
    program: command,
    mountable: true,
    free: false,
    models: settings.models,
    provider(model) {
      const name = parseModelName(model);
      return name.ok ? name.provider : null;
    },
    modelProblem(model) {
      const name = parseModelName(model);
      return name.ok ? null : `opencode needs a model with its provider: ${name.message}`;
    },
    login:
      settings.auth === 'login'
        ? [
            {
              home: '.local/share/opencode/auth.json',
              at: ({ home }) => join(home, '.local/share/opencode/auth.json'),
            },
          ]
        : null,
    subject: {
      skill: (folders) => join(folders.home, '.config/opencode/skills'),
      instructions: (folders) => join(folders.home, '.config/opencode/AGENTS.md'),
    },
    mcpProblem: null,
    limitsTurns: false,
    version: [command, '--version'],
    // With a title, it does not ask the model for one.
    launch: (request) => launch(request, ['--title', 'task'], request.prompt),
    resume: (request, sessionId) => launch(request, ['--session', sessionId], request.prompt),
    parser: opencodeStream,
    firstRequest: { reader: opencodeRequest },
    classify: (end) => classifyByResult(withLoggedError(end)),
  };
}

/** The MCP servers under test. Their first start may install them, for example with npx. */
const mcpConfig = ({ mcpServers = [] }: AgentRequest): Record<string, unknown> =>
  mcpServers.length === 0
    ? {}
    : {
        mcp: Object.fromEntries(
          mcpServers.map(({ name, command, args, env }) => [
            name,
            { type: 'local', command: [command, ...args], environment: env, enabled: true, timeout: 120_000 },
          ]),
        ),
      };

/**
 * The config of the model's provider. It names the model, because OpenCode's list of models may be older. Providers
 * that OpenCode does not know are OpenAI-compatible.
 */
function providerConfig({ model: text, access }: AgentRequest): Record<string, unknown> {
  const name = parseModelName(text);
  if (!name.ok) throw new Error(name.message); // `modelProblem` has rejected it
  const version = ownValue(VERSIONS, name.provider);
  const address = access?.baseUrl ?? null;
  return {
    [name.provider]: {
      ...(version === undefined ? { npm: '@ai-sdk/openai-compatible', name: name.provider } : {}),
      options: {
        ...(access === null || access.key === null ? {} : { apiKey: `{env:${KEY_VARIABLE}}` }),
        ...(address === null ? {} : { baseURL: version === undefined ? address : withVersion(address, version) }),
      },
      models: { [name.model]: {} },
    },
  };
}

/** A line of OpenCode's log, with the error of a request to the model. */
const LOGGED = /^timestamp=(\S+) level=\w+ .*$/gm;
const OF_REQUEST = /\bmessage="stream error".*? error\.error=("(?:[^"\\]|\\.)*"|\S+)/;

/**
 * Takes OpenCode's log out of stderr, where it is printed. OpenCode repeats a request that failed without end, and
 * reports that nowhere else: if the log has such an error after the last output, OpenCode has not recovered from it.
 */
function withLoggedError(end: AgentEnd): AgentEnd {
  const stderr = end.stderr.replaceAll(LOGGED, '');
  if (end.error !== null || end.result !== null) return { ...end, stderr };
  const last = [...end.stderr.matchAll(LOGGED)]
    .filter(([, time = '']) => Date.parse(time) >= (end.printedAt ?? 0))
    .findLast(([line]) => OF_REQUEST.test(line));
  const message = textOf(OF_REQUEST.exec(last?.[0] ?? '')?.[1]);
  return message === null ? { ...end, stderr } : { ...end, stderr, error: { type: 'error', message, retryable: true } };
}

/** Reads a value of the log: a word, or a text in quotes as in JSON. */
function textOf(value: string | undefined): string | null {
  if (value?.startsWith('"') !== true) return value ?? null;
  try {
    return JSON.parse(value) as string;
  } catch {
    return value.slice(1, -1);
  }
}

/** Each step is a request, and reports at its end what it was sent. */
export function opencodeRequest(): RequestReader {
  let steps = 0;
  return requestReader(({ type, part }) => {
    if (type === 'step_start') steps += 1;
    if (type !== 'step_finish') return null;
    // Something else has answered than the model, and OpenCode asks again.
    if (steps === 0 && fieldsOf(part)['reason'] === 'unknown') return null;
    if (steps !== 1) return unknownRequest('its first step did not finish');
    const tokens = fieldsOf(fieldsOf(part)['tokens']);
    const cache = fieldsOf(tokens['cache']);
    return requestOf(tokens['input'], cache['read'], cache['write']);
  });
}
