import { join } from 'node:path';
import { splitModel, withVersion } from '#lib';
import { unknownRequest } from '#model';
import type { Agent, AgentLaunch, AgentRequest, AgentSettings, McpProgram, ModelAccess } from './agent.js';
import { classifyByResult } from './failures/classify.js';
import { codexStream, codexUsageInLog } from './streams/codex.js';
import { fieldsOf, stringOf } from './streams/json-fields.js';
import { requestOf, requestReader, type RequestReader } from './request-reader.js';

/** The variable that Codex reads the key from, and hides from the commands that it runs. */
const KEY_VARIABLE = 'CODEX_PROVIDER_KEY';
const OPENAI = 'https://api.openai.com/v1';
/** Providers without the Responses API, which is the only one that Codex supports. */
const WITHOUT_RESPONSES = new Set(['anthropic', 'google']);

/** OpenAI Codex. `config` is its CODEX_HOME, with settings, login and sessions. */
export function codex(settings: AgentSettings): Agent {
  const { command = 'codex', args, env, models, effort, mode } = settings;
  const login = settings.auth === 'login';

  const start = (request: AgentRequest, last: string[], stdin: string): AgentLaunch => {
    const access = login ? null : request.access;
    return {
      argv: [
        ...[command, 'exec', '--json', '--skip-git-repo-check'],
        ...(mode === undefined ? ['--dangerously-bypass-approvals-and-sandbox'] : ['--sandbox', mode]),
        ...args,
        ...last,
      ],
      env: {
        CODEX_HOME: request.config,
        ...(access?.key == null ? {} : { [KEY_VARIABLE]: access.key }),
        ...env,
      },
      stdin,
      files: [{ path: join(request.config, 'config.toml'), content: configOf(request, access, effort) }],
    };
  };

  return {
    name: 'codex',
    program: command,
    mountable: true,
    free: false,
    models,
    provider: (model) => splitModel(model, 'openai').provider,
    modelProblem(model) {
      const { provider } = splitModel(model, 'openai');
      return WITHOUT_RESPONSES.has(provider)
        ? `codex uses the Responses API, which ${provider} does not offer; use a model like "gpt-5.5"`
        : null;
    },
    login: login ? [{ home: '.codex/auth.json', at: ({ config }): string => join(config, 'auth.json') }] : null,
    subject: {
      skill: (folders) => join(folders.config, 'skills'),
      instructions: (folders) => join(folders.config, 'AGENTS.md'),
    },
    mcpProblem: null,
    limitsTurns: false,
    version: [command, '--version'],
    launch: (request) => start(request, ['-'], request.prompt),
    resume: (request, sessionId) => start(request, ['resume', sessionId, '-'], request.prompt),
    parser: codexStream,
    firstRequest: {
      reader: codexRequest,
      log: ({ config }, session) => ({
        folder: join(config, 'sessions'),
        name: `rollout-*-${session}.jsonl`,
      }),
    },
    usageInLog: codexUsageInLog,
    classify: classifyByResult,
  };
}

function configOf(
  { model, system, mcpServers = [] }: AgentRequest,
  access: ModelAccess | null,
  effort: string | undefined,
): string {
  const { provider, model: name } = splitModel(model, 'openai');
  return [
    ...(name === 'default' ? [] : [`model = ${toml(name)}`]),
    ...(effort === undefined ? [] : [`model_reasoning_effort = ${toml(effort)}`]),
    ...(access === null ? [] : ['model_provider = "cell"']),
    ...(system === null ? [] : [`developer_instructions = ${toml(system)}`]),
    'check_for_update_on_startup = false',
    // A login shell reads /etc/profile, which on many systems resets PATH and so hides the tool under test.
    'allow_login_shell = false',
    '[features]',
    'plugins = false',
    '[analytics]',
    'enabled = false',
    // Otherwise it hides variables with KEY, SECRET or TOKEN in their names, which the tool under test may need.
    '[shell_environment_policy]',
    'ignore_default_excludes = true',
    `exclude = [${toml(KEY_VARIABLE)}]`,
    ...(access === null ? [] : providerOf(provider, access)),
    ...mcpServers.flatMap(serverOf),
    '',
  ].join('\n');
}

/** Defines a provider, because the built-in one supports neither a key from a variable nor fewer retries. */
function providerOf(provider: string, { key, baseUrl }: ModelAccess): string[] {
  const address = provider === 'openai' ? withVersion(baseUrl ?? OPENAI, '/v1') : (baseUrl ?? '');
  return [
    '[model_providers.cell]',
    `name = ${toml(provider)}`,
    `base_url = ${toml(address)}`,
    ...(key === null ? [] : [`env_key = ${toml(KEY_VARIABLE)}`]),
    'wire_api = "responses"',
    'supports_websockets = false',
    // The workflow retries more patiently.
    'request_max_retries = 2',
    'stream_max_retries = 2',
  ];
}

/** An MCP server under test. Its first start may install it, for example with npx. */
const serverOf = ({ name, command, args, env }: McpProgram): string[] => [
  `[mcp_servers.${toml(name)}]`,
  `command = ${toml(command)}`,
  `args = [${args.map(toml).join(', ')}]`,
  'startup_timeout_sec = 120',
  'required = true', // otherwise the first turn may begin before its tools are known
  `[mcp_servers.${toml(name)}.env]`,
  ...Object.entries(env).map(([variable, value]) => `${toml(variable)} = ${toml(value)}`),
];

/** A TOML string. It is like a JSON string, except that DEL must be escaped. */
const toml = (text: string): string => JSON.stringify(text).replaceAll('\u007F', '\\u007f');

/**
 * Reads the file of a session ("rollout"), which has a record for each answer. Its count of input includes what was
 * read from a cache or written to it. If a tool has been called before the first record, an earlier answer was cut off.
 */
export function codexRequest(): RequestReader {
  let turns = 0;
  return requestReader(({ type, payload }) => {
    const fields = fieldsOf(payload);
    const kind = stringOf(fields['type']) ?? '';
    if (type === 'event_msg' && kind === 'task_started') turns += 1;
    const isCut = (type === 'response_item' && kind.endsWith('_output')) || turns > 1;
    if (isCut) return unknownRequest('the first answer of its model was cut off');
    if (type !== 'token_usage_record') return null;
    return requestOf(fieldsOf(fields['usage'])['input_tokens']);
  });
}
