import { join } from 'node:path';
import { parseModelName, withoutVersion, withVersion } from '#lib';
import { unknownRequest } from '#model';
import type { Agent, AgentLaunch, AgentRequest, AgentSettings, LaunchFile, ModelAccess } from './agent.js';
import { endOfProject } from './folders-above.js';
import { classifyByResult } from './failures/classify.js';
import { piStream } from './streams/pi.js';
import { wholeNumberOf, fieldsOf, listOf } from './streams/json-fields.js';
import { requestOf, requestReader, type RequestReader } from './request-reader.js';

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
        ...(settings.effort === undefined ? [] : ['--thinking', settings.effort]),
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
        // The workflow retries more patiently.
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
    mountable: true,
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
    login: login ? [{ home: '.pi/agent/auth.json', at: ({ config }): string => join(config, 'auth.json') }] : null,
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

/**
 * The first message of the model reports at its end what it was sent. A request that failed is sent again unchanged.
 */
export const piRequest = (): RequestReader =>
  requestReader((line) => {
    if (line['type'] === 'tool_execution_start')
      return unknownRequest('the first answer of its model reports no tokens');
    const message = fieldsOf(line['message']);
    if (line['type'] !== 'message_end' || message['role'] !== 'assistant') return null;
    const usage = fieldsOf(message['usage']);
    const isEmpty = listOf(message['content']).length === 0;
    const failed = (message['stopReason'] === 'error' || isEmpty) && (wholeNumberOf(usage['totalTokens']) ?? 0) === 0;
    return failed ? null : requestOf(usage['input'], usage['cacheRead'], usage['cacheWrite']);
  });

/**
 * An extension of pi. For each piece of an answer, pi prints the whole answer so far, twice: gigabytes for a long one.
 * No option says otherwise. Of these lines, only the type is left.
 */
const SHORT_UPDATES = `const SHORTENED = new Set(['message_update', 'tool_execution_update']);
const { stringify } = JSON;

export default function () {
  JSON.stringify = (value, ...others) =>
    stringify(SHORTENED.has(value?.type) ? { type: value.type } : value, ...others);
}
`;

/**
 * An extension of pi. Its system prompt contains the AGENTS.md and CLAUDE.md of all folders above the workspace, which
 * are the user's own; the extension takes them out. If it cannot, it ends pi: a run must not depend on what its machine
 * has there.
 */
const OWN_INSTRUCTIONS = `import { sep } from 'node:path';

const HEADING = '# Project Context\\n\\nProject-specific instructions and guidelines:\\n\\n';

export default function (pi) {
  pi.on('before_agent_start', ({ systemPrompt, systemPromptOptions }) => {
    try {
      return { systemPrompt: ofTheRun(systemPrompt, systemPromptOptions) };
    } catch (error) {
      console.error(\`the instructions in folders above the workspace cannot be left out: \${error.message}\`);
      process.exit(1);
    }
  });
}

function ofTheRun(systemPrompt, { cwd, contextFiles }) {
  const folders = [cwd, process.env.PI_CODING_AGENT_DIR];
  const isOfTheRun = ({ path }) => folders.some((folder) => path.startsWith(folder + sep));
  const above = contextFiles.filter((file) => !isOfTheRun(file));
  const texts = above.map(({ path, content }) => \`## \${path}\\n\\n\${content}\\n\\n\`);
  if (above.length === contextFiles.length && above.length > 0) texts.push(HEADING);
  return texts.reduce((prompt, text) => {
    const at = prompt.indexOf(text);
    if (at === -1) throw new Error('the system prompt does not contain them in the known form');
    return prompt.slice(0, at) + prompt.slice(at + text.length);
  }, systemPrompt);
}
`;

/** The extension that shortens what pi prints, as a file in pi's folder. */
const shortUpdates = (config: string): LaunchFile => ({
  path: join(config, 'short-updates.js'),
  content: SHORT_UPDATES,
});

/** The extension that leaves the user's instructions out, as a file in pi's folder. */
const ownInstructionsOnly = (config: string): LaunchFile => ({
  path: join(config, 'own-instructions-only.js'),
  content: OWN_INSTRUCTIONS,
});
