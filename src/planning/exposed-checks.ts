import { basename, dirname, join, normalize, relative, resolve } from 'node:path';
import { scriptPaths } from '#agent-scripts';
import { CHECKS_VARIABLE } from '#environments';
import type { Path } from '#input';
import { formatProblem, type Problem } from '#lib';
import { scriptsRunBy } from '#model';
import { checkCommands, placedAgentScripts } from '#scenario';
import { isFile } from './file-checks.js';
import type { Project } from './project.js';
import type { SelectedScenario, SelectedVariant } from './select-scenarios.js';

/** A file that judges the agent and is in the workspace, where the agent can read and change it. */
interface Exposed {
  path: Path;
  script: string;
  /** Tells how a scenario runs the script once it is in the checks folder. */
  instead: string;
}

/**
 * Returns a warning for each script of a gate or evaluator, and for the rubric, if they are in the fixture. Programs of
 * the target are not checks, and neither are agent scripts if the target is Deno.
 */
export function exposedCheckWarnings(project: Project, scenarios: readonly SelectedScenario[]): Problem[] {
  const warnings = scenarios.flatMap((selected) =>
    selected.variants.flatMap((variant) =>
      [...exposedScripts(project, selected, variant), ...exposedRubric(selected, variant)].map(
        ({ path, script, instead }) => {
          const where =
            variant.scenario.checks.folder === undefined
              ? 'a folder beside this file, name that folder in a line "checks_folder: ...",'
              : `the checks folder '${variant.scenario.checks.folder}'`;
          return variant.problemAt(
            path,
            `the agent can read and change ${script}, which is in the workspace; move it to ${where} and ${instead}`,
          );
        },
      ),
    ),
  );
  // Variants share most of their checks.
  return [...new Map(warnings.map((warning) => [formatProblem(warning), warning])).values()];
}

/** The rubric, if it is in the fixture. */
function exposedRubric({ path }: SelectedScenario, { scenario, fixture }: SelectedVariant): Exposed[] {
  const { judge } = scenario.judgment;
  if (judge === undefined || fixture === null) return [];
  const inFixture = relative(fixture, resolve(dirname(path), judge.rubric));
  if (inFixture.startsWith('..')) return [];
  return [{ path: ['judgment', 'judge', 'rubric'], script: inFixture, instead: 'name it by its path there' }];
}

function exposedScripts(project: Project, selected: SelectedScenario, variant: SelectedVariant): Exposed[] {
  const { scenario, fixture, checks } = variant;
  const isGiven = (path: string): boolean =>
    Object.hasOwn(scenario.inputs.files, normalize(path)) || filesOf(fixture, path).some(isFile);
  const isTarget = targetTest(project, selected, variant);
  const inCommands = checkCommands(scenario).flatMap(({ path, command }) =>
    scriptsRunBy(command)
      .filter((script) => isGiven(script) && !isTarget(script))
      .map((script): Exposed => ({
        path,
        script: normalize(script),
        instead: `run "$${CHECKS_VARIABLE}/${basename(script)}"`,
      })),
  );
  if (basename(targetOf(project, variant)?.binary ?? '') === 'deno') return inCommands;
  const agentScripts = placedAgentScripts(scenario).flatMap(({ path, script }): Exposed[] => {
    const paths = scriptPaths(script);
    if (paths === null || !isGiven(paths.readme)) return [];
    if (checks !== null && isFile(join(checks, paths.readme))) return [];
    return [{ path, script: paths.folder, instead: 'keep its path there' }];
  });
  return [...inCommands, ...agentScripts];
}

const filesOf = (fixture: string | null, path: string): string[] =>
  fixture === null ? [] : [join(fixture, path), join(fixture, 'initial-state', path)];

const targetOf = ({ config }: Project, { scenario }: SelectedVariant) =>
  scenario.target === 'from_config' ? config.target : scenario.target;

/** Returns a function that tells whether a path of the workspace is a program or file of the target. */
function targetTest(
  project: Project,
  { path: scenarioPath }: SelectedScenario,
  variant: SelectedVariant,
): (path: string) => boolean {
  const target = targetOf(project, variant);
  if (target == null) return () => false;
  const from = variant.scenario.target === 'from_config' ? project.root : dirname(scenarioPath);
  const files = (target.files ?? []).map((file) => resolve(from, file));
  const isBelow = (path: string, folder: string): boolean => !relative(folder, path).startsWith('..');
  return (path) =>
    normalize(path) === normalize(target.binary) ||
    filesOf(variant.fixture, path).some((file) => files.some((folder) => isBelow(file, folder)));
}
