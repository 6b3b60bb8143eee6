import pc from 'picocolors';
import { displayPath } from '#host';
import { renderTable, terminalText } from '#lib';
import {
  checkFiles,
  describeSearch,
  draftOf,
  type DraftOptions,
  leftOutOf,
  openProject,
  type SearchedFolder,
  searchFiles,
  selectScenarios,
} from '#planning';
import { printJson, printNotice, printWarnings, textOptions } from './shared/output.js';

/** `validate`: checks scenario files. @throws UsageError with all problems of all files */
export async function validate(
  files: string[],
  { json, verbose }: { json: boolean; verbose: boolean },
): Promise<number> {
  const project = openProject();
  const checked = await checkFiles(project, draftOf({ files }));
  const { files: paths, searched, scenarios, warnings, notes } = checked;
  printWarnings(warnings, checked.texts);
  notes.forEach(printNotice);
  const others = otherFiles(searched);
  if (json)
    printJson({
      valid: true,
      files: paths.map(displayPath),
      problems: [],
      warnings,
      ...(verbose ? { others } : {}),
    });
  else {
    if (verbose) printOthers(others, [...new Set(scenarios.flatMap((one) => one.variants.flatMap(leftOutOf)))]);
    const hint =
      verbose || others.length === 0
        ? ''
        : `; ${others.length} other file${others.length === 1 ? ' is none' : 's are none'} (--verbose says why)`;
    process.stdout.write(`${paths.length} scenario file${paths.length === 1 ? ' is' : 's are'} valid${hint}\n`);
  }
  return 0;
}

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

/** A file among the scenarios that is none, and what it is instead. */
interface Other {
  file: string;
  what: string;
}

/** The files that a search for scenarios has seen and not taken. */
export const otherFiles = (searched: readonly SearchedFolder[]): Other[] =>
  searched.flatMap(({ others }) => others.map(({ path, what }) => ({ file: displayPath(path), what })));

/** Prints files that are no scenarios, and what agents are not given of skills, each on a line. */
export function printOthers(others: readonly Other[], leftOut: readonly string[] = []): void {
  for (const { file, what } of others)
    process.stdout.write(`${terminalText(file)}: no scenario, but ${terminalText(what)}\n`);
  for (const path of leftOut) process.stdout.write(`${terminalText(path)}: not given to agents\n`);
}
