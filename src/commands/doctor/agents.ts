import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Agent, knownAgents } from '#agents';
import { findParts } from '#environments';
import { detectVersion, findExecutable, knownProviders } from '#host';
import { ownValue, referredNames } from '#lib';
import type { Finding } from '#reports';
import type { DoctorContext, DoctorCheck } from './context.js';

const MAX_VERSION = 80;

/** Returns a check for every agent that a scenario can name. */
export const agentChecks = ({ project }: DoctorContext): DoctorCheck[] =>
  [...knownAgents(project.config.agents).values()].map((agent) => ({
    name: `agent ${agent.name}`,
    look: (context) => lookAtAgent(agent, context),
  }));

async function lookAtAgent(agent: Agent, { project, env, limits }: DoctorContext): Promise<Finding> {
  const settings = ownValue(project.config.agents, agent.name);
  const executable = findExecutable(programOf(agent, project.root));
  const required = referredNames(settings?.env ?? {});
  const provider = agent.provider(agent.models[0] ?? 'default');
  const ofProvider = provider === null ? [] : (knownProviders(project.config.providers).get(provider)?.variables ?? []);
  const variables = [...new Set([...ofProvider, ...required])].map((name) => ({
    name,
    set: ownValue(env, name) !== undefined,
  }));
  const version = executable === null ? null : await versionOf(agent, env, limits.doctorMs);
  const detail = { agent: agent.name, executable, version, free: agent.free, variables };
  if (executable === null)
    return settings === undefined
      ? { status: 'info', message: `not installed (${agent.install ?? programOf(agent, project.root)})`, detail }
      : {
          status: 'warning',
          message: `${agent.program} was not found`,
          remedy: `install it${agent.install === undefined ? '' : ` (${agent.install})`}, or correct \`command\` in [agents.${agent.name}]`,
          detail,
        };
  const message = [
    executable,
    ...(version === null ? [] : [version]),
    agent.free ? 'free' : 'may cost money',
    ...variables.map(({ name, set }) => `${name} ${set ? 'set' : 'not set'}`),
  ].join(', ');
  const missing = required.filter((name) => ownValue(env, name) === undefined);
  if (missing.length > 0)
    return {
      status: 'warning',
      message,
      remedy: `set ${missing.join(' and ')}, or name a file with --env-file; otherwise its runs end with an error`,
      detail,
    };
  if (agent.version !== null && version === null)
    return {
      status: 'warning',
      message,
      remedy: `its version command fails: ${agent.version.join(' ')}`,
      detail,
    };
  return { status: 'ok', message, detail };
}

/** Says which agents of this machine can be mounted into containers. */
export async function mountable({ project }: DoctorContext): Promise<Finding> {
  const agents = [...knownAgents(project.config.agents).values()].flatMap((agent) => {
    const executable = agent.mountable === true ? findExecutable(programOf(agent, project.root)) : null;
    return executable === null ? [] : { name: agent.name, executable };
  });
  const found = await Promise.all(
    agents.map(async ({ name, executable }) => ({ name, parts: await findParts(executable) })),
  );
  const usable = found.flatMap(({ name, parts }) => ('why' in parts ? [] : name));
  const unusable = found.flatMap(({ name, parts }) => ('why' in parts ? `${name} cannot (${parts.why})` : []));
  const can = usable.length === 0 ? 'no agent of this machine can be mounted' : `${usable.join(', ')} can be mounted`;
  return { status: 'info', message: [can, ...unusable].join('; '), detail: { agents: usable } };
}

/** As in a sweep, a path is relative to the config file. */
const programOf = ({ program }: Agent, root: string): string =>
  program.includes('/') ? resolve(root, program) : program;

/** Asks for the version as a run does, with a private HOME, because agents write files there when they start. */
async function versionOf({ version }: Agent, env: NodeJS.ProcessEnv, timeoutMs: number): Promise<string | null> {
  if (version === null) return null;
  const home = await mkdtemp(join(tmpdir(), 'llm-tool-test-doctor-'));
  try {
    const own = { PATH: env['PATH'], LANG: env['LANG'], HOME: home, TMPDIR: home };
    const output = await detectVersion(version, { env: own, cwd: home, timeoutMs });
    return output === null ? null : output.slice(0, MAX_VERSION);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** Reports which keys are set of providers whose models can judge. Those that are set are used. Never shows values. */
export function judgeKeys({ project, env }: DoctorContext): Finding {
  const providers = [...knownProviders(project.config.providers).values()];
  const keys = new Set(providers.flatMap(({ needs }) => needs.flat()));
  const variables = [...keys].map((name) => ({ name, set: (ownValue(env, name) ?? '') !== '' }));
  return {
    status: 'info',
    message: variables.map(({ name, set }) => `${name} ${set ? 'set' : 'not set'}`).join(', '),
    detail: { variables },
  };
}
