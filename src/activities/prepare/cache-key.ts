import { isAbsolute } from 'node:path';
import { sha256 } from '../../lib/hash.js';
import { fingerprint } from '../../platform/fingerprint.js';
import { buildId } from '../../platform/package-info.js';
import { agentVersion, planLaunch } from '../agent/launch.js';
import { planQuestion } from '../agent/placed-agent.js';
import type { PlacedAgent } from '../step/places.js';
import type { RunContext } from '../step/run-context.js';
import type { Prepared } from './build-workspace.js';

/**
 * A hash over everything that the result of a run depends on, so that another run with the same key may be reused:
 * scenario with prompt, gates, scripts, judge, rubric and limits; fixture; agent, its settings, version and program; model,
 * variant, repetition; the target's binary and what its health check printed; values of `${NAME}`; this program.
 * null where a part is not known.
 */
export async function cacheKey(context: RunContext, prepared: Prepared): Promise<string | null> {
  const { run, scenario, scenarioHash, handle, agentSettings, targetEnv } = context;
  const { launch, program } = await planLaunch(context);
  if (program === null || prepared.resolved === null) return null;
  const judgedBy = context.judgeAgent === null ? 'api' : await judgeParts(context, context.judgeAgent);
  if (judgedBy === null) return null;
  const { agent, model, variant, repetition } = run.cell;
  // Paths of this run in what is printed would make every run a new one.
  const generic = (text: string): string => text.replaceAll(handle.root, '<run>');
  const health = prepared.health_check;
  const commands = [
    ...scenario.setup.commands,
    ...scenario.scripts.post.map(({ command }) => command),
    ...scenario.scripts.evaluators.flatMap(({ command }) => command ?? []),
    ...scenario.evaluation.gates.flatMap((gate) => ('command' in gate ? [gate.command] : [])),
  ];
  const parts = {
    build: buildId(),
    scenario: scenarioHash,
    environment: handle.type,
    agent,
    model,
    variant,
    repetition,
    agentSettings,
    targetEnv,
    agentVersion: prepared.agent_version ?? null,
    program: await fingerprint(program),
    files: await outsideFiles([...launch.argv.slice(1), ...commands.flatMap(wordsOf)], handle.root),
    target: await fingerprint(prepared.resolved),
    servedAt: context.access?.baseUrl ?? null,
    judgedAt: context.provider?.address(context.values) ?? null,
    judgedBy,
    health: health === null ? null : [health.exit_code, generic(health.stdout), generic(health.stderr)],
  };
  return sha256(JSON.stringify(parts));
}

/** What a judgment by an agent depends on; null where its program is not found. */
async function judgeParts(context: RunContext, judge: PlacedAgent): Promise<object | null> {
  const { launch, env, program } = await planQuestion(judge, '', 1);
  if (program === null) return null;
  return {
    settings: judge.settings,
    servedAt: judge.access?.baseUrl ?? null,
    version: await agentVersion({ ...context, agent: judge.agent }, env),
    program: await fingerprint(program),
    files: await outsideFiles(launch.argv.slice(1), context.handle.root),
  };
}

const wordsOf = (command: string): string[] => command.split(/[\s'"`;|&<>()=]+/);

/** Files that are named by absolute path, and so are neither in the fixture nor in the scenario. */
async function outsideFiles(words: readonly string[], root: string): Promise<[string, string | null][]> {
  const paths = [...new Set(words)].filter((word) => isAbsolute(word) && !word.startsWith(root)).sort();
  return Promise.all(paths.map(async (path) => [path, await fingerprint(path)]));
}
