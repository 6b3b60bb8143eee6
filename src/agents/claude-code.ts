import { join } from 'node:path';
import { splitModel, withoutVersion } from '#lib';
import type { Agent, AgentLaunch, AgentRequest, AgentSettings } from './agent.js';
import { endOfProject, foldersAbove } from './folders-above.js';
import { classifyByResult } from './failures/classify.js';
import { claudeCodeStream, SYNTHETIC } from './streams/claude-code.js';
import { UNLOADED } from './streams/claude-code-extensions.js';
import { mcpSettings } from './subject-files.js';
import { fieldsOf } from './streams/json-fields.js';
import { requestOf, requestReader, type RequestReader } from './request-reader.js';

const PROVIDER = 'anthropic';

const configFolder = ({ config }: Pick<AgentRequest, 'config'>): string => join(config, 'claude');

/** The folder with the copies of plugins under test. Paths of their skills are recognised by its last part. */
const pluginFolder = ({ config }: Pick<AgentRequest, 'config'>): string => join(config, 'plugins');

/** Prints which hooks ran, and the prompt as Claude Code understood it, for which the prompt must be JSON. */
const SHOWS_EXTENSIONS = ['--include-hook-events', '--input-format', 'stream-json', '--replay-user-messages'];
const userMessage = (text: string): string =>
  `${JSON.stringify({ type: 'user', message: { role: 'user', content: text } })}\n`;

/** Claude Code, headless. It uses the settings, CLAUDE.md and skills of the workspace, as it does for its users. */
export function claudeCode(settings: AgentSettings): Agent {
  const { command = 'claude' } = settings;

  const launch = (request: AgentRequest, session: string[], stdin: string): AgentLaunch => {
    const { model } = splitModel(request.model, PROVIDER);
    const system = join(configFolder(request), 'system.md');
    const mcpFile = join(configFolder(request), 'mcp.json');
    const mcpServers = mcpSettings(request);
    const plugins = (request.subject ?? []).flatMap((part) => (part.kind === 'plugin' ? part.name : []));
    return {
      argv: [
        ...[command, '-p', '--output-format', 'stream-json', '--verbose'],
        ...['--permission-mode', settings.mode ?? 'bypassPermissions', '--strict-mcp-config'],
        ...(settings.effort === undefined ? [] : ['--effort', settings.effort]),
        ...(mcpServers === null ? [] : ['--mcp-config', mcpFile]),
        ...plugins.flatMap((name) => ['--plugin-dir', join(pluginFolder(request), name)]),
        ...(plugins.length === 0 ? [] : SHOWS_EXTENSIONS),
        ...['--settings', JSON.stringify({ claudeMdExcludes: instructionsAbove(request.workspace) })],
        ...(request.model === 'default' ? [] : ['--model', model]),
        ...(request.maxTurns === null ? [] : ['--max-turns', String(request.maxTurns)]),
        ...(request.system === null ? [] : ['--append-system-prompt-file', system]),
        ...session,
        ...settings.args,
      ],
      env: { ...environment(request), ...settings.env },
      stdin: plugins.length === 0 ? stdin : userMessage(stdin),
      files: [
        ...endOfProject(request),
        ...(request.system === null ? [] : [{ path: system, content: request.system }]),
        ...(mcpServers === null ? [] : [{ path: mcpFile, content: JSON.stringify({ mcpServers }) }]),
      ],
    };
  };

  return {
    name: 'claude-code',
    program: command,
    mountable: true,
    free: false,
    models: settings.models,
    provider: () => PROVIDER,
    modelProblem(model) {
      const { provider } = splitModel(model, PROVIDER);
      if (provider === PROVIDER) return null;
      return `claude-code only runs models of ${PROVIDER}, like "claude-sonnet-4-5"; got '${model}'`;
    },
    login:
      settings.auth === 'login'
        ? [
            {
              home: '.claude/.credentials.json',
              at: (request) => join(configFolder(request), '.credentials.json'),
            },
          ]
        : null,
    subject: {
      skill: (folders) => join(configFolder(folders), 'skills'),
      instructions: (folders) => join(configFolder(folders), 'CLAUDE.md'),
      plugin: pluginFolder,
    },
    mcpProblem: null,
    limitsTurns: true,
    version: [command, '--version'],
    launch: (request) => launch(request, ['--session-id', request.sessionId], request.prompt),
    resume: (request, sessionId) => launch(request, ['--resume', sessionId], request.prompt),
    parser: claudeCodeStream,
    firstRequest: { reader: claudeCodeRequest },
    // Without its plugin, the run would be another one, whatever the gates say.
    classify: (end) =>
      end.error?.message.startsWith(UNLOADED) === true
        ? { ending: 'unable', message: end.error.message, again: null }
        : classifyByResult(end),
  };
}

/** Patterns of the instructions in the folders above the workspace, which are the user's own. */
const instructionsAbove = (workspace: string): string[] =>
  foldersAbove(workspace).flatMap((folder) =>
    ['CLAUDE.md', 'CLAUDE.local.md', 'AGENTS.md', '.claude/CLAUDE.md', '.claude/rules/**'].map((name) =>
      join(folder, name),
    ),
  );

function environment(request: AgentRequest): Record<string, string> {
  const { key, baseUrl } = request.access ?? { key: null, baseUrl: null };
  return {
    CLAUDE_CONFIG_DIR: configFolder(request),
    IS_SANDBOX: '1', // otherwise root may not bypass permissions
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    CLAUDE_CODE_MAX_RETRIES: '2', // the workflow, which survives the worker, waits longer
    ...(key === null ? {} : { ANTHROPIC_API_KEY: key }),
    ...(baseUrl === null ? {} : { ANTHROPIC_BASE_URL: withoutVersion(baseUrl) }),
  };
}

/** The first message of the model reports what it was sent. Messages of subagents are not part of the session. */
export const claudeCodeRequest = (): RequestReader =>
  requestReader((line) => {
    const message = fieldsOf(line['message']);
    if (line['type'] !== 'assistant' || (line['parent_tool_use_id'] ?? null) !== null) return null;
    if (message['model'] === SYNTHETIC) return null;
    const usage = fieldsOf(message['usage']);
    return requestOf(
      usage['input_tokens'],
      usage['cache_read_input_tokens'] ?? 0,
      usage['cache_creation_input_tokens'] ?? 0,
    );
  });
