import { apartFrom } from '#environments';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheHome, findExecutable, programFiles, realPath } from '#host';
import type { SideInputs } from '#decide';
import { type Cell, scenarioLabel } from '#model';
import type { ResolvedScenario, ResolvedSweep } from './resolve-sweep.js';
import { hashOfScenario } from './write-plan.js';

/** Finds out what the cells of a sweep will depend on, as far as it is known before they run. Writes nothing. */
export async function plannedInputs(
  sweep: ResolvedSweep,
): Promise<(cell: Pick<Cell, 'scenario' | 'agent' | 'model' | 'variant'>) => SideInputs | null> {
  const found = new Map<string, Pick<SideInputs, 'scenario_hash' | 'target'>>();
  for (const one of sweep.scenarios)
    found.set(scenarioLabel({ scenario: one.selected.scenario.name, variant: one.variant.variant }), {
      scenario_hash: await hashOfScenario(one, sweep.project.resultsPath),
      target: await targetOf(one, sweep),
    });
  return (cell) => {
    const known = found.get(scenarioLabel(cell));
    if (known === undefined) return null;
    const { agent, model } = cell;
    return { ...known, agent, model, settings: JSON.stringify(sweep.agents[agent] ?? null) };
  };
}

/** The fingerprint that a run finds of its target; null if only the run can know it. */
async function targetOf({ effective, variant }: ResolvedScenario, sweep: ResolvedSweep): Promise<string | null> {
  const { target, target_path: given, target_files: declared = null, scenario } = effective;
  if (target === null || apartFrom(scenario.environment) !== null) return null;
  const path = sweep.environment['PATH'] ?? '';
  const isInWorkspace = variant.fixture !== null && existsSync(join(variant.fixture, target.binary));
  const program =
    given ?? (isInWorkspace || scenario.inputs.commands.length > 0 ? null : findExecutable(target.binary, path));
  if (program === null) return null;
  const passOver = [sweep.project.resultsPath, sweep.project.fixturesPath, cacheHome()];
  return (await programFiles(realPath(program), { declared, whole: null, passOver, path })).fingerprint;
}
