import { knownAgents } from '#agents';
import { counted, type Problem, UsageError } from '#lib';
import { lengthProblems, matrixProblems, misfitsOfOwnAgents, profileProblems } from './agent-problems.js';
import { judgeProblems } from './choose-judge.js';
import type { Draft } from './draft.js';
import { exposedCheckWarnings } from './exposed-checks.js';
import { runtimeProblems } from './find-runtime.js';
import { describeSearch, type SearchedFolder, searchFiles } from './find-scenario-files.js';
import type { Project } from './project.js';
import { loadScenarios, type SelectedScenario } from './select-scenarios.js';
import {
  notReusedWarnings,
  placeholderWarnings,
  serverWarnings,
  targetsOfScenarios,
  targetWarnings,
  uncheckedWarnings,
} from './warnings.js';

/** Valid scenario files. */
export interface CheckedFiles {
  /** Absolute paths. */
  files: readonly string[];
  searched: readonly SearchedFolder[];
  scenarios: readonly SelectedScenario[];
  /** Warnings at places in the files, which are in `texts`. */
  warnings: Problem[];
  texts: ReadonlyMap<string, string>;
  /** Other warnings. */
  notes: string[];
}

/**
 * Checks all files that a draft names, for any of their agents: unlike `plan`, it does not choose what would run, nor
 * need what is only there when it runs.
 *
 * @throws UsageError with all problems of all files
 */
export async function checkFiles(project: Project, draft: Draft): Promise<CheckedFiles> {
  const { files, searched } = searchFiles(project, draft);
  const empty = searched.find((one) => one.files.length === 0);
  if (empty !== undefined) throw new UsageError('nothing_selected', describeSearch(empty));
  const { scenarios, problems: found, texts } = await loadScenarios(project, files);
  const known = knownAgents(project.config.agents);
  const ofOthers = [
    ...scenarios.flatMap((scenario) => [
      ...matrixProblems(project, known, scenario).map(({ problem }) => problem),
      ...lengthProblems(known, scenario),
      ...misfitsOfOwnAgents(known, scenario),
      ...(scenario.variants.some((one) =>
        one.scenario.agents.some(({ agent }) => known.get(agent)?.usesRuntime === true),
      )
        ? runtimeProblems(scenario)
        : []),
    ]),
    ...scenarios.flatMap((scenario) => judgeProblems(project, scenario)),
    ...profileProblems(project, known),
  ];
  // Several scenarios may report the same problem of the config
  const problems = [...found, ...new Map(ofOthers.map((one) => [JSON.stringify(one), one])).values()];
  if (project.configSource !== null) texts.set(project.configSource.file, project.configSource.text);
  if (problems.length > 0) {
    const count = counted(problems.length, 'problem');
    throw new UsageError('scenario_invalid', `${count} in ${counted(files.length, 'file')}`, problems, texts);
  }
  return {
    files,
    searched,
    scenarios,
    texts,
    warnings: [...uncheckedWarnings(scenarios), ...exposedCheckWarnings(project, scenarios)],
    notes: [
      ...placeholderWarnings(project),
      ...targetWarnings(project, scenarios),
      ...serverWarnings(scenarios),
      ...(await notReusedWarnings(project, targetsOfScenarios(project, scenarios))),
    ],
  };
}
