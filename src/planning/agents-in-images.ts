import { resolve } from 'node:path';
import { type Agent, knownAgents } from '#agents';
import { findExecutable, isMirror } from '#host';
import { UsageError } from '#lib';
import type { Project } from './project.js';
import type { ResolvedSweep } from './resolve-sweep.js';

/**
 * Packs the agents that tasks are run with, and tries them in images that are there. An image that is to be built is
 * tried in its first run.
 *
 * @throws UsageError at its place in the task if an agent cannot be mounted, or does not start in an image
 */
export async function agentsFitImages({ project, cells, scenarios, environment }: ResolvedSweep): Promise<void> {
  if (isMirror(project.resultsPath)) return;
  const known = knownAgents(project.config.agents);
  const tried = new Map<string, Promise<string | null>>();
  for (const { selected, variant, effective } of scenarios) {
    const { environment: wanted, task } = effective.scenario;
    if (wanted.type !== 'docker' || task === undefined) continue;
    const agents = cells.flatMap((cell) =>
      cell.scenario === selected.scenario.name && cell.variant === variant.variant ? (known.get(cell.agent) ?? []) : [],
    );
    for (const agent of new Set(agents)) {
      const key = JSON.stringify([wanted.command, wanted.image ?? '', agent.name]);
      const found = tried.get(key) ?? mountProblem(project, agent, wanted, environment['PATH']);
      tried.set(key, found);
      const message = await found;
      if (message === null) continue;
      const problem = variant.problemAt(['environment', wanted.image === undefined ? 'build' : 'image'], message);
      throw new UsageError('sandbox_unusable', message, [problem], new Map([[selected.file, selected.text]]));
    }
  }
}

/** The reason why an agent cannot be mounted into containers of an image, or does not start there; null if it does. */
async function mountProblem(
  { root }: Project,
  { name, program, mountable, version, install }: Agent,
  { command, image }: { command: 'docker' | 'podman'; image?: string },
  path: string | undefined,
): Promise<string | null> {
  if (mountable !== true) return null;
  const found = findExecutable(program.includes('/') ? resolve(root, program) : program, path);
  if (found === null)
    return `the agent ${name} is mounted from this machine, where ${program} was not found; install it${install === undefined ? '' : ` (${install})`}`;
  const { fitProblem, packAgent } = await import('#environments');
  const packed = await packAgent(found, path);
  if ('why' in packed) return `the agent ${name} cannot be mounted into containers: ${packed.why}`;
  const [first, ...args] = version ?? [];
  if (image === undefined || first !== program) return null;
  return fitProblem({ command, image }, { folder: packed.folder, program: found, version: args });
}
