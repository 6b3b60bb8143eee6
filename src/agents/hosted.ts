import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CANNOT_SET_UP, HOST_VARIABLES, type HostModel, type HostRequest } from '#agent-host';
import { parseModelName } from '#lib';
import type { Agent, AgentEnd, AgentLaunch, AgentRequest, AgentSettings, Classified } from './agent.js';
import { classifyByResult } from './failures/classify.js';
import { ownEventStream } from './streams/event-stream.js';

/** Name of the model that leaves the choice to the agent. */
const OWN_MODELS = 'default';

/** The differences between the agents that run in the agent host. */
interface Hosted {
  name: string;
  kind: HostRequest['kind'];
  /** Absolute path of the module of a `module` agent. */
  module: string | null;
}

/** An agent that runs in the agent host, a program of ours which performs one turn and keeps the state in a file. */
function hostedAgent({ name, kind, module }: Hosted, settings: AgentSettings): Agent {
  const start = (request: AgentRequest, session: string): AgentLaunch => {
    const { hosted } = request;
    if (hosted == null) throw new Error(`${name} can only be the agent of a scenario`);
    const { reads, variables, ...run } = hosted;
    const file = join(request.config, 'agent-host.json');
    const asked: HostRequest = {
      ...run,
      kind,
      module,
      input: request.prompt,
      system: request.system,
      model: modelOf(request),
      states: join(request.config, 'turns', session),
      sessionId: session,
      turn: request.turn ?? 1,
    };
    const program = fileURLToPath(new URL('./host-program.js', import.meta.url));
    return {
      argv: [
        // Events go to descriptor 3, so that code which writes to stdout cannot damage them.
        ...['sh', '-c', 'exec "$@" 3>&1 1>&2', 'sh'],
        ...[process.execPath, program, file],
        // Not read by the program, but a sandbox shows the paths in a command line.
        ...(module === null ? [] : [module]),
        ...reads,
      ],
      env: {
        LOG_LEVEL: 'warn', // of ElizaOS
        [HOST_VARIABLES.key]: request.access?.key ?? '',
        [HOST_VARIABLES.values]: JSON.stringify(variables),
        ...settings.env,
      },
      stdin: '',
      files: [{ path: file, content: JSON.stringify(asked) }],
    };
  };
  return {
    name,
    program: process.execPath,
    free: settings.free ?? false,
    models: settings.models,
    provider(model) {
      const parsed = parseModelName(model);
      return model !== OWN_MODELS && parsed.ok ? parsed.provider : null;
    },
    modelProblem(model) {
      const parsed = parseModelName(model);
      return model === OWN_MODELS || parsed.ok
        ? null
        : `needs a model with its provider, or "${OWN_MODELS}": ${parsed.message}`;
    },
    login: null,
    subject: 'it is made of JavaScript, and has neither skills nor instructions of its own',
    mcpProblem: 'it is made of JavaScript, and has no MCP client of its own',
    limitsTurns: false,
    version: null,
    needsNode: true,
    isHosted: true,
    ...(kind === 'eliza' ? ({ usesRuntime: true } as const) : {}),
    repeatsTurns: true,
    launch: (request) => start(request, request.sessionId),
    resume: start,
    parser: ownEventStream,
    classify,
  };
}

function modelOf({ model: name, access }: AgentRequest): HostModel | null {
  const parsed = parseModelName(name);
  if (name === OWN_MODELS || !parsed.ok) return null;
  const { provider, model } = parsed;
  return { name, provider, model, baseUrl: access?.baseUrl ?? null, configured: access?.configured === true };
}

function classify(end: AgentEnd): Classified {
  if (end.stopped === null && end.exitCode === CANNOT_SET_UP)
    return { ending: 'unable', message: end.error?.message ?? 'could not be set up', again: null };
  return classifyByResult(end);
}

/** A real ElizaOS runtime, with the character and plugins of the scenario. */
export const eliza = (settings: AgentSettings): Agent =>
  hostedAgent({ name: 'eliza', kind: 'eliza', module: null }, settings);

/** An agent that the config defines as a JavaScript or TypeScript module, whose path must be absolute by now. */
export const moduleAgent = (name: string, module: string, settings: AgentSettings): Agent =>
  hostedAgent({ name, kind: 'module', module }, settings);
