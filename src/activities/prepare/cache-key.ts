import { basename, isAbsolute } from 'node:path';
import { type EnvironmentHandle, sharesHost } from '#environments';
import { buildId, fingerprint, type SourceFile, sourceFiles, TooManyFiles } from '#host';
import { absolutePaths, canonicalJson, interpolate, sha256 } from '#lib';
import { agentInputs, checkCommands, containerVariables, EffectiveScenario, findAgentStep } from '#scenario';
import { mcpServersOf } from '#subjects';
import { agentVersion, planLaunch } from '../agent/launch.js';
import { planQuestion } from '../agent/one-shot-agent.js';
import { resolveEnv } from '../credentials/resolve-agent.js';
import type { AgentInPlace } from '../run/run-paths.js';
import type { Prepared } from './build-workspace.js';
import { notPrograms, type TargetFiles } from './target-files.js';
import type { LoadedRun, RunAccess, RunIdentity, RunPlaces } from '../run/context.js';

/**
 * The keys of a run, or why it has none: if any part is unknown, nothing is reused. `key` covers everything that the
 * result depends on, `agentKey` only what the agent's work depends on. If only the latter is the same, only the checks
 * differ. `ofRepetition`: the keys of another repetition.
 */
export type FoundKey =
  | { key: string; agentKey: string; unknown: null; ofRepetition: (repetition: number) => FoundKey }
  | { key: null; agentKey: null; unknown: string };

/** Variables of the shell that change what programs print. */
const LOCALE = /^(LANG|LANGUAGE|LC_[A-Z]+|TZ)$/;

/**
 * Hashes of what the result of a run depends on, so that another run with the same key can reuse it: scenario with
 * prompt, gates, scripts, judge, rubric and limits; fixture and checks folder; agent, its settings, version and
 * program; model, variant, repetition; what the target consists of and what its health check printed; values of
 * `${NAME}`; language and time zone; files and folders named by absolute path; this program.
 */
export async function cacheKey(
  context: LoadedRun & RunAccess,
  prepared: Prepared,
  target: TargetFiles | null,
): Promise<FoundKey> {
  const { run, scenario, scenarioHash, handle, agentSettings, targetEnv, baseEnv, values } = context;
  if (findAgentStep(scenario) === null) return unknown('nothing is known of the programs that its steps run');
  if (handle.sandbox !== undefined)
    return unknown(`the template ${handle.sandbox.template} of E2B may change at any time`);
  if (handle.pod !== undefined) return unknown(`the image ${handle.pod.image} may change at any time`);
  if (context.agent.isHosted === true) return unknown(`the modules of the agent ${run.cell.agent} may change`);
  const [server] = mcpServersOf(context.subject);
  if (server !== undefined) return unknown(`the MCP server ${server.name} may change`);
  const { launch, program } = await planLaunch(context);
  if (program === null) return unknown(`the program of the agent ${run.cell.agent} was not found`);
  if (target === null) return unknown('the target was not found');
  if (target.unknown !== null) return unknown(target.unknown);
  const judgedBy = context.judgeAgent === null ? 'api' : await judgeParts(context, context.judgeAgent);
  if (judgedBy === null) return unknown('the program of the judging agent was not found');
  const { agent, model, variant, repetition } = run.cell;
  // Paths of this run in the printed text would make every key unique.
  const generic = (text: string): string => text.replaceAll(handle.root, '<run>');
  const health = prepared.health_check;
  const agentEnv = Object.entries(agentSettings?.env ?? {}).map(([name, text]): [string, string | null] => {
    const filled = interpolate(text, values);
    return [name, filled.ok ? filled.text : null];
  });
  const asksModel = scenario.steps.some(({ kind }) => kind === 'conversation');
  const judgedAt = context.provider?.address(values) ?? null;
  try {
    return foundKeys(
      {
        build: buildId(),
        // Without the context's other fields, which are those of this run.
        inputs: sha256(canonicalJson(agentInputs(EffectiveScenario.parse(context), run.cell.agent))),
        environment: [handle.type, handle.container?.image ?? [], basename(handle.container?.layer ?? '') || []]
          .flat()
          .join(' '),
        live: context.plan.live === true,
        agent,
        model,
        variant,
        repetition,
        agentSettings,
        agentEnv,
        targetEnv: { ...filledVariables(context), ...targetEnv },
        servers: context.onServers.databases.map(({ server }) => server),
        locale: Object.entries(baseEnv).filter(([name]) => LOCALE.test(name)),
        agentVersion: prepared.agent_version ?? null,
        program: await programIn(handle, program),
        files: await outsideFiles(context, [
          ...launch.argv.slice(1).filter(isAbsolute),
          ...workCommands(scenario).flatMap(absolutePaths),
          ...[...Object.entries(targetEnv), ...agentEnv].flatMap(([name, value]) =>
            // Programs on PATH are ignored, wherever it comes from.
            name === 'PATH' || value === null ? [] : absolutePaths(value),
          ),
        ]),
        target: target.fingerprint,
        servedAt: context.access?.baseUrl ?? null,
        asked: asksModel ? [judgedAt, judgedBy] : null,
        health: health === null ? null : [health.exit_code, generic(health.stdout), generic(health.stderr)],
      },
      {
        scenario: scenarioHash,
        checkFiles: await outsideFiles(
          context,
          checkCommands(scenario).flatMap(({ command }) => absolutePaths(command)),
        ),
        judgedAt,
        judgedBy,
      },
    );
  } catch (error) {
    if (error instanceof TooManyFiles)
      return unknown(`a command or variable names a folder that is too large: ${error.message}`);
    throw error;
  }
}

/** The variables of a container and its verifiers, filled in. */
const filledVariables = ({ scenario, values }: Pick<LoadedRun, 'scenario' | 'values'>): Record<string, string> =>
  Object.fromEntries(
    containerVariables(scenario).flatMap((env, at) =>
      Object.entries(resolveEnv(env, values).env).map(([name, text]) => [`${at} ${name}`, text]),
    ),
  );

/** The parts that the work of an agent depends on. Each part is JSON; any change of any part changes the key. */
export interface AgentParts {
  build: string;
  /** Hash of the part of the scenario that the agent's work depends on, including the fixture. */
  inputs: string;
  environment: string;
  live: boolean;
  agent: string;
  model: string;
  variant: string;
  repetition: number;
  agentSettings: object | null;
  agentEnv: [string, string | null][];
  targetEnv: Record<string, string>;
  /** Addresses of the servers of databases. */
  servers: string[];
  locale: [string, string][];
  agentVersion: string | null;
  program: string | null;
  files: SourceFile[];
  target: string | null;
  servedAt: string | null;
  /** The model that plays users: address and program; null if the scenario has no conversation. */
  asked: [string | null, object | string] | null;
  health: (number | string | null)[] | null;
}

/** The other parts that the verdict on that work depends on. */
export interface CheckParts {
  /** Hash of the whole scenario, including the snapshot of its checks folder. */
  scenario: string;
  /** Files that commands of gates and evaluators name by absolute path. */
  checkFiles: SourceFile[];
  judgedAt: string | null;
  judgedBy: object | string;
}

export const cacheKeyOf = (parts: AgentParts | (AgentParts & CheckParts)): string => sha256(JSON.stringify(parts));

const foundKeys = (work: AgentParts, checks: CheckParts): FoundKey => ({
  key: cacheKeyOf({ ...work, ...checks }),
  agentKey: cacheKeyOf(work),
  unknown: null,
  ofRepetition: (repetition) => foundKeys({ ...work, repetition }, checks),
});

const unknown = (why: string): FoundKey => ({ key: null, agentKey: null, unknown: why });

/** The commands that the workspace depends on. */
const workCommands = (scenario: RunIdentity['scenario']): string[] => [
  ...scenario.inputs.commands,
  ...scenario.steps.flatMap((step) => (step.kind === 'command' ? [step.command].flat() : [])),
];

/** The parts that a judgment by an agent depends on; null if the agent's program is not found. */
async function judgeParts(context: LoadedRun & RunAccess, judge: AgentInPlace): Promise<object | null> {
  const { launch, env, program } = planQuestion(judge, '', 1);
  if (program === null) return null;
  return {
    settings: judge.settings,
    servedAt: judge.access?.baseUrl ?? null,
    version: sharesHost(judge.handle) ? await agentVersion({ ...context, agent: judge.agent }, env) : null,
    program: await programIn(judge.handle, program),
    files: await outsideFiles(context, launch.argv.slice(1).filter(isAbsolute)),
  };
}

/** Hash of a program. A program in a container is identified by its path, and the image by its id. */
const programIn = async (handle: EnvironmentHandle, program: string): Promise<string | null> =>
  sharesHost(handle) ? fingerprint(program) : program;

/** Hashes of the files named by absolute path, which are therefore in neither the fixture nor the scenario. */
async function outsideFiles(context: RunPlaces, named: readonly string[]): Promise<SourceFile[]> {
  const { root } = context.handle;
  if (!sharesHost(context.handle)) return []; // they are in the image
  const paths = [...new Set(named)].filter((path) => path !== root && !path.startsWith(`${root}/`)).sort();
  const found: SourceFile[] = [];
  for (const path of paths) {
    const files = await sourceFiles(path, notPrograms(context));
    found.push(...files.map(([name, content]): SourceFile => [`${path} ${name}`, content]));
  }
  return found;
}
