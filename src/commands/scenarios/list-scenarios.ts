import pc from 'picocolors';
import { renderTable, terminalText } from '#lib';
import {
  describeSearch,
  draftOf,
  type DraftOptions,
  openProject,
  searchFiles,
  selectScenarios,
} from '#planning';
import { printJson, textOptions } from '../shared/output.js';
import { otherFiles, printOthers } from '../shared/print-others.js';

/** `scenarios`: lists the scenarios in the fixtures folder. */
export async function listScenarios(
  selection: Pick<DraftOptions, 'tags' | 'tier'>,
  { json, all }: { json: boolean; all: boolean },
): Promise<number> {
  const project = openProject();
  const everything = draftOf({ ...selection, all: true, passWithNoScenarios: true });
  const selected = await selectScenarios(project, everything);
  const { searched } = searchFiles(project, everything);
  const others = otherFiles(searched);
  const scenarios = selected.map(({ scenario, file }) => ({
    name: scenario.name,
    file,
    description: scenario.description,
    tier: scenario.tier,
    tags: scenario.tags,
    agents:
      scenario.agents.length > 0
        ? scenario.agents.map(({ agent }) => agent)
        : (scenario.mock?.steps.length ?? 0) > 0
          ? ['mock']
          : [],
  }));
  if (json) {
    printJson({ scenarios, ...(all ? { others } : {}) });
    return 0;
  }
  const { color, width } = textOptions();
  const colors = pc.createColors(color);
  const rows = scenarios.map(({ name, tier, tags, agents, description }) => [
    colors.bold(terminalText(name)),
    `tier ${tier}`,
    terminalText(tags.join(',')),
    terminalText(agents.join(',')),
    colors.dim(terminalText(description)),
  ]);
  process.stdout.write(
    rows.length === 0
      ? `no scenarios found: ${searched.map(describeSearch).join('; ')}\n`
      : `${renderTable(rows, { width }).join('\n')}\n`,
  );
  if (all) printOthers(others);
  return 0;
}
