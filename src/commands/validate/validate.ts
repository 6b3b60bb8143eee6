import { knownAgents } from '#agents';
import { displayPath } from '#host';
import { UsageError } from '#lib';
import {
  describeSearch,
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
  searchFiles,
  serverWarnings,
  targetsOfScenarios,
  targetWarnings,
  uncheckedWarnings,
} from '#planning';
import { otherFiles, printOthers } from '../shared/print-others.js';
import { printJson, printNotice, printWarnings } from '../shared/output.js';

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
  // several scenarios may report the same problem of the config; duplicates are removed below
  const ofJudges = scenarios.flatMap((scenario) => judgeProblems(project, scenario));
  const known = knownAgents(project.config.agents);
  const ofMatrix = scenarios.flatMap((scenario) => [
    ...matrixProblems(project, known, scenario).map(({ problem }) => problem),
    ...lengthProblems(known, scenario),
    ...misfitsOfOwnAgents(known, scenario),
    ...(scenario.variants.some((one) =>
      one.scenario.agents.some(({ agent }) => known.get(agent)?.usesRuntime === true),
    )
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
    ...(await targetWarnings(project, scenarios)),
    ...(await serverWarnings(scenarios)),
    ...(await notReusedWarnings(project, targetsOfScenarios(project, scenarios))),
  ])
    printNotice(warning);
  const others = otherFiles(searched);
  if (json)
    printJson({
      ...{ valid: true, files: paths.map(displayPath), problems: [], warnings },
      ...(verbose ? { others } : {}),
    });
  else {
    if (verbose)
      printOthers(others, [...new Set(scenarios.flatMap((one) => one.variants.flatMap(leftOutOf)))]);
    const hint =
      verbose || others.length === 0
        ? ''
        : `; ${others.length} other file${others.length === 1 ? ' is none' : 's are none'} (--verbose says why)`;
    process.stdout.write(
      `${paths.length} scenario file${paths.length === 1 ? ' is' : 's are'} valid${hint}\n`,
    );
  }
  return 0;
}
