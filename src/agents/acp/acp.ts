import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseModelName, splitModel } from '#lib';
import type { Agent, AgentEnd, AgentLaunch, AgentRequest, AgentSettings, Classified } from '../agent.js';
import { fill } from '../command.js';
import { classifyByResult } from '../failures/classify.js';
import { meaningfulLines } from '../failures/stderr-noise.js';
import { acpStream } from '../streams/acp.js';
import { ACP_LIMITS, type AcpFile, NO_SESSION_STATUS } from './acp-file.js';
import { type AcpPreset, addressOf } from './preset.js';
import { UNTRIED } from './presets.js';

const ON_HOST: NonNullable<AgentRequest['mounted']> = {
  node: process.execPath,
  program: (name) => fileURLToPath(new URL(`./${name}`, import.meta.url)),
};

/**
 * An agent that speaks the Agent Client Protocol. A program of ours (acp-program.ts) starts it, sends it the prompt,
 * and prints what it says.
 */
export function acpAgent(name: string, preset: AcpPreset, settings: AgentSettings): Agent {
  const { command = preset.command, models } = settings;
  const base = preset.like?.(settings) ?? null;
  const isUntried = preset === UNTRIED;

  const start = (request: AgentRequest, resume: AcpFile['resume']): AgentLaunch => {
    const own = request.hasNode ? ON_HOST : request.mounted;
    if (own === undefined) throw new Error(`${name} cannot run in a container in which it is not mounted`);
    const values = { model: request.model, prompt_file: '', workspace: request.workspace };
    const shared = base?.launch({ ...request, system: null, mcpServers: [] });
    const { provider, model } = splitModel(request.model, base?.provider(request.model) ?? 'openai');
    const { home, config, access } = request;
    const channel = preset.channel({
      ...{ home, config, provider, model, key: access?.key ?? null },
      address: addressOf(provider, access),
    });
    const takesModel = settings.args.some((arg) => arg.includes('{model}'));
    const asked: AcpFile = {
      cwd: request.workspace,
      mcpServers: (request.mcpServers ?? []).map(({ env, ...server }) => ({
        ...server,
        env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })),
      })),
      mode: settings.mode ?? preset.mode,
      options: { ...preset.options, ...settings.options },
      model: preset.choosesModel === true && !takesModel && request.model !== 'default' ? request.model : null,
      resume,
      limits: ACP_LIMITS,
    };
    const file = join(config, 'acp.json');
    const args = [...preset.args, ...(channel.args ?? []), ...settings.args.map((arg) => fill(arg, values))];
    return {
      argv: [own.node, own.program('acp-program.js'), file, command, ...args],
      program: command,
      env: {
        ...shared?.env,
        ...channel.env,
        ...(isUntried ? { LLM_TOOL_TEST_MODEL: request.model } : {}),
        ...settings.env,
      },
      // The protocol has no place for the text before the prompt
      stdin: [request.system, request.prompt].filter((text) => text !== null).join('\n\n'),
      files: [...(shared?.files ?? []), ...(channel.files ?? []), { path: file, content: JSON.stringify(asked) }],
    };
  };

  const { resume: by } = preset;
  return {
    name,
    program: command,
    free: settings.free ?? false,
    models,
    provider: (model) => (base === null ? providerOf(preset, model) : base.provider(model)),
    modelProblem: (model) => (base === null ? modelProblem(name, preset, model) : base.modelProblem(model)),
    login: null,
    subject: preset.subject ?? subjectOf(base),
    mcpProblem: preset.mcpProblem,
    limitsTurns: false,
    version:
      settings.version_command === undefined ? versionOf(command, preset) : ['sh', '-c', settings.version_command],
    ...(preset.install === undefined ? {} : { install: preset.install }),
    needsNode: true,
    mountable: true,
    launch: (request) => start(request, null),
    resume: by === null ? null : (request, session) => start(request, { session, by }),
    parser: () => acpStream(preset.reading),
    ...lastAnswerOf(base),
    ...preset.logs,
    classify: classifyAcp,
  };
}

/** The log of the same agent. Over ACP, its records do not name the session, so the latest counts. */
const lastAnswerOf = (base: Agent | null): Pick<Agent, 'lastAnswer'> => {
  const source = base?.lastAnswer;
  if (source === undefined) return {};
  return { lastAnswer: { ...source, sessionProblem: (text) => source.sessionProblem(text, null) } };
};

const versionOf = (command: string, preset: AcpPreset): string[] | null =>
  preset === UNTRIED ? null : [command, '--version'];

/** An agent of which only the config says anything also has its key from there. */
const providerOf = (preset: AcpPreset, model: string): string | null => {
  const name = parseModelName(model);
  return preset !== UNTRIED && name.ok ? name.provider : null;
};

function modelProblem(name: string, preset: AcpPreset, model: string): string | null {
  if (preset === UNTRIED) return null;
  const parsed = parseModelName(model);
  if (!parsed.ok) return `needs a model with its provider: ${parsed.message}`;
  const isOther = parsed.provider === 'google' || (parsed.provider === 'anthropic' && preset.speaksAnthropic !== true);
  return isOther ? `${name} uses the Chat Completions API, which ${parsed.provider} does not offer` : null;
}

/** An agent to which the prompt could not be sent says nothing about the tool under test. */
function classifyAcp(end: AgentEnd): Classified {
  const found = classifyByResult(end);
  const isSetUp = end.stopped !== null || end.exitCode !== NO_SESSION_STATUS;
  if (isSetUp || found.ending === 'unable' || found.again !== null) return found;
  const said = [end.error?.message ?? 'it could not be set up', ...meaningfulLines(end.stderr).slice(-1)];
  return { ending: 'unable', message: said.join('; '), again: null };
}

/** Over ACP, the command line cannot name plugins. */
function subjectOf(base: Agent | null): Agent['subject'] {
  if (base === null) return 'it is not known where it looks for them';
  if (typeof base.subject === 'string') return base.subject;
  const { skill, instructions } = base.subject;
  return { skill, instructions };
}
