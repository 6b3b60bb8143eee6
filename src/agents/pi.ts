import { join } from 'node:path';
import { withoutVersion, withVersion } from '../lib/api-address.js';
import { parseModelName } from '../lib/model-name.js';
import type { Agent, AgentLaunch, AgentRequest, ModelAccess } from './agent.js';
import { endOfProject } from './folders-above.js';
import { ownInstructionsOnly, shortUpdates } from './pi-extensions.js';
import { classifyByResult } from './failures/classify.js';
import { piRequest } from './first-requests/pi.js';
import { piStream } from './streams/pi.js';
import type { AgentSettings } from './settings.js';

/** Providers that pi knows: the variable for the key, and a function that adapts an address for pi. */
const BUILT_IN = new Map([
  ['anthropic', { key: 'ANTHROPIC_API_KEY', address: withoutVersion }],
  ['openai', { key: 'OPENAI_API_KEY', address: (url: string): string => withVersion(url, '/v1') }],
  ['google', { key: 'GEMINI_API_KEY', address: (url: string): string => withVersion(url, '/v1beta') }],
]);

/** The variable for the key of a provider of the config. */
const KEY_VARIABLE = 'PI_PROVIDER_KEY';

/** pi, the coding agent of pi-mono. `config` is its agent folder, with settings, providers, login and sessions. */
export function pi(settings: AgentSettings): Agent {
  const { command = 'pi', args, env, models } = settings;
  const login = settings.auth === 'login';

  const start = (request: AgentRequest, last: string[], stdin: string): AgentLaunch => {
    const name = parseModelName(request.model);
    if (!name.ok) throw new Error(name.message); // `modelProblem` has rejected it
    const { config, system } = request;
    const access = login ? null : request.access;
    const systemFile = join(config, 'system.md');
    // Containers have nothing of the user above the workspace.
    const extensions = [shortUpdates(config), ...(request.hasNode ? [ownInstructionsOnly(config)] : [])];
    return {
      argv: [
        ...[command, '--mode', 'json', '-p', '--provider', name.provider, '--model', name.model],
        ...['--no-extensions', '--no-prompt-templates', '--offline'],
        ...extensions.flatMap(({ path }) => ['--extension', path]),
        ...(system === null ? [] : ['--append-system-prompt', systemFile]),
        ...args,
        ...last,
      ],
      env: {
        PI_CODING_AGENT_DIR: config,
        PI_TELEMETRY: '0',
        ...(access?.key == null ? {} : { [BUILT_IN.get(name.provider)?.key ?? KEY_VARIABLE]: access.key }),
        ...env,
      },
      stdin,
      files: [
        // the workflow retries more patiently
        { path: join(config, 'settings.json'), content: JSON.stringify({ retry: { maxRetries: 2 } }) },
        ...modelsFile(config, name, access),
        ...endOfProject(request),
        ...extensions,
        ...(system === null ? [] : [{ path: systemFile, content: system }]),
      ],
    };
  };

  return {
    name: 'pi',
    program: command,
    free: false,
    models,
    provider(model) {
      const name = parseModelName(model);
      return name.ok ? name.provider : null;
    },
    modelProblem(model) {
      const name = parseModelName(model);
      return name.ok ? null : `pi needs a model with its provider: ${name.message}`;
    },
    login: login
      ? [{ home: '.pi/agent/auth.json', at: ({ config }): string => join(config, 'auth.json') }]
      : null,
    subject: {
      skill: (folders) => join(folders.config, 'skills'),
      instructions: (folders) => join(folders.config, 'AGENTS.md'),
    },
    mcpProblem: 'it has no MCP client',
    limitsTurns: false,
    version: [command, '--version'],
    launch: (request) => start(request, [], request.prompt),
    resume: (request, sessionId) => start(request, ['--session', sessionId], request.prompt),
    parser: piStream,
    firstRequest: { reader: piRequest },
    classify: classifyByResult,
  };
}

/** The settings of a provider that does not have its default address, or that pi does not know. */
function modelsFile(
  config: string,
  { provider, model }: { provider: string; model: string },
  access: ModelAccess | null,
): AgentLaunch['files'] {
  if (access?.baseUrl == null) return [];
  const known = BUILT_IN.get(provider);
  const settings =
    known === undefined
      ? {
          baseUrl: access.baseUrl,
          api: 'openai-completions',
          apiKey: KEY_VARIABLE,
          models: [{ id: model }],
        }
      : { baseUrl: known.address(access.baseUrl) };
  const content = JSON.stringify({ providers: { [provider]: settings } }, null, 2);
  return [{ path: join(config, 'models.json'), content }];
}
