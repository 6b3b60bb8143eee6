import { knownAgents } from '../agents/index.js';
import { canonical, plannedHomes } from '../platform/folders.js';
import { findAbove } from '../platform/fs/find-above.js';
import { readAboveWarning } from '../results/read-above-warning.js';
import type { Project } from './project.js';
import type { ResolvedSweep } from './resolve-sweep.js';

/** Returns a warning for each agent that will find the user's own instructions or skills above the workspaces of its runs. */
export function readAboveWarnings(
  { config }: Pick<Project, 'config'>,
  { cells, scenarios }: Pick<ResolvedSweep, 'cells' | 'scenarios'>,
): string[] {
  const { state } = plannedHomes();
  const unprotected = new Set(
    scenarios.flatMap(({ selected, effective }) =>
      effective.scenario.environment.type === 'local' ? [selected.scenario.name] : [],
    ),
  );
  const used = new Set(cells.flatMap(({ agent, scenario }) => (unprotected.has(scenario) ? [agent] : [])));
  return [...knownAgents(config.agents)].flatMap(([name, { readsAbove = [] }]) => {
    const found = used.has(name) ? findAbove(canonical(state), readsAbove) : [];
    return found.length === 0 ? [] : [`warning: ${readAboveWarning(name, found)}`];
  });
}
