import pc from 'picocolors';
import { knownAgents } from '#agents';
import { displayPath } from '#host';
import { renderTable, terminalText, UsageError } from '#lib';
import {
  describeSearch,
  draftOf,
  type DraftOptions,
  exposedCheckWarnings,
  judgeProblems,
  leftOutOf,
  lengthProblems,
  loadScenarios,
  matrixProblems,
  misfitsOfOwnAgents,
  notReusedWarnings,
  openProject,
  placeholderWarnings,
  profileProblems,
  runtimeProblems,
  type SearchedFolder,
  searchFiles,
  selectScenarios,
  serverWarnings,
  targetsOfScenarios,
  targetWarnings,
  uncheckedWarnings,
} from '#planning';
import { printJson, printNotice, printWarnings, textOptions } from './shared/output.js';

/** `validate`: checks scenario files. @throws UsageError with all problems of all files */
export async function validate(
  files: string[],
  { json, verbose }: { json: boolean; verbose: boolean },
): Promise<number> {
  const project = openProject();
  const { files: paths, searched } = searchFiles(project, { files });
  const empty = searched.find((one) => one.files.length === 0);
  if (empty !== undefined) throw new UsageError('nothing_selected', describeSearch(empty));
  const { scenarios, problems: found, texts } = await loadScenarios(project, paths);
  // Several scenarios may report the same problem of the config; duplicates are removed below.
  const ofJudges = scenarios.flatMap((scenario) => judgeProblems(project, scenario));
  const known = knownAgents(project.config.agents);
  const ofMatrix = scenarios.flatMap((scenario) => [
    ...matrixProblems(project, known, scenario).map(({ problem }) => problem),
    ...lengthProblems(known, scenario),
    ...misfitsOfOwnAgents(known, scenario),
    ...(scenario.variants.some((one) => one.scenario.agents.some(({ agent }) => known.get(agent)?.usesRuntime === true))
      ? runtimeProblems(scenario)
      : []),
  ]);
  const ofOthers = [...ofMatrix, ...ofJudges, ...profileProblems(project, known)];
  const problems = [...found, ...new Map(ofOthers.map((one) => [JSON.stringify(one), one])).values()];
  if (project.configSource !== null) texts.set(project.configSource.file, project.configSource.text);
  if (problems.length > 0) {
    const count = `${problems.length} problem${problems.length === 1 ? '' : 's'}`;
    throw new UsageError(
      'scenario_invalid',
      `${count} in ${paths.length} file${paths.length === 1 ? '' : 's'}`,
      problems,
      texts,
    );
  }
  const warnings = [...uncheckedWarnings(scenarios), ...exposedCheckWarnings(project, scenarios)];
  printWarnings(warnings, texts);
  for (const warning of [
    ...placeholderWarnings(project),
    ...targetWarnings(project, scenarios),
    ...serverWarnings(scenarios),
    ...(await notReusedWarnings(project, targetsOfScenarios(project, scenarios))),
  ])
    printNotice(warning);
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
interface NonScenario {
  file: string;
  what: string;
}

/** The files that a search for scenarios has seen and not taken. */
export const otherFiles = (searched: readonly SearchedFolder[]): NonScenario[] =>
  searched.flatMap(({ others }) => others.map(({ path, what }) => ({ file: displayPath(path), what })));

/** Prints files that are no scenarios, and what agents are not given of skills, each on a line. */
export function printOthers(others: readonly NonScenario[], leftOut: readonly string[] = []): void {
  for (const { file, what } of others)
    process.stdout.write(`${terminalText(file)}: no scenario, but ${terminalText(what)}\n`);
  for (const path of leftOut) process.stdout.write(`${terminalText(path)}: not given to agents\n`);
}
