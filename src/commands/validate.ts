import { printJson } from './output.js';
import { judgeProblems } from './plan/choose-judge.js';
import { findFiles } from './plan/find-scenario-files.js';
import { loadScenarios } from './plan/select-scenarios.js';
import { displayPath, openProject } from './project.js';
import { UsageError } from './usage-error.js';

/** `validate`: every problem of every file at once. */
export async function validate(files: string[], { json }: { json: boolean }): Promise<number> {
  const project = openProject();
  const paths = findFiles(project, { files });
  if (paths.length === 0)
    throw new UsageError('nothing_selected', `no scenario files in ${displayPath(project.fixturesPath)}`);
  const { scenarios, problems: found, texts } = await loadScenarios(project, paths);
  // A problem of the config is one, however many scenarios it concerns.
  const ofJudges = scenarios.flatMap((scenario) => judgeProblems(project, scenario));
  const problems = [...found, ...new Map(ofJudges.map((one) => [JSON.stringify(one), one])).values()];
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
  if (json) printJson({ valid: true, files: paths.map(displayPath), problems: [] });
  else process.stdout.write(`${paths.length} scenario file${paths.length === 1 ? ' is' : 's are'} valid\n`);
  return 0;
}
