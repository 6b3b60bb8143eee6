import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';
import { CHECKS_VARIABLE } from '../environments/environment.js';
import type { Problem } from '../lib/errors/problem.js';
import { displayPath } from '../platform/display-path.js';
import type { Path } from '../scenario/problems/source.js';
import type { ScenarioVariant } from '../scenario/reader.js';
import { namedChecks } from '../scenario/named-checks.js';
import { isFile, isFolder } from './file-checks.js';
import type { CheckFolder, LookedAt } from './scenario-inputs.js';

/** The checks folder of a scenario as an absolute path, and its problems. Null if there is none, or on problems. */
interface FoundChecks {
  checks: string | null;
  /** The files that are not copied. */
  leftOut: readonly string[];
  problems: Problem[];
}

const AT: Path = ['checks', 'folder'];

/** Finds the checks folder of a scenario, and what its gates and evaluators name in it that is not there. */
export async function findChecks(
  scenarioPath: string,
  { scenario, problemAt }: Pick<ScenarioVariant, 'scenario' | 'problemAt'>,
  fixture: string | null,
  look: CheckFolder,
): Promise<FoundChecks> {
  const { folder } = scenario.checks;
  const named = namedChecks(scenario);
  if (folder === undefined) {
    const message = `the scenario has no checks folder; put the files into a folder beside the scenario file, and add the line "checks_folder: <its name>"`;
    return {
      ...{ checks: null, leftOut: [] },
      problems: named.map(({ path, file }) =>
        problemAt(path, file === null ? `$${CHECKS_VARIABLE} is not set: ${message}` : `${file}: ${message}`),
      ),
    };
  }
  const checks = resolve(dirname(scenarioPath), folder);
  const { unusable, leftOut } = await lookAt(folder, checks, fixture, look);
  if (unusable !== null) return { checks: null, leftOut, problems: [problemAt(AT, unusable)] };
  const problems = named.flatMap(({ path, file, isExpected }) => {
    if (file === null) return [];
    if (file.split('/').includes('..')) return [problemAt(path, `'${file}' leaves the checks folder`)];
    const out = leftOut.find((one) => `${normalize(file)}/`.startsWith(one.endsWith('/') ? one : `${one}/`));
    if (out !== undefined)
      return [
        problemAt(path, `'${out}' is not copied, because it is a suite, a scenario or a result; rename it`),
      ];
    if ((isExpected ? isFile : existsSync)(join(checks, file))) return [];
    return [problemAt(path, `the checks folder '${folder}' has no ${isExpected ? 'file ' : ''}'${file}'`)];
  });
  return { checks, leftOut, problems };
}

async function lookAt(
  folder: string,
  checks: string,
  fixture: string | null,
  look: CheckFolder,
): Promise<LookedAt> {
  const not = (unusable: string): LookedAt => ({ unusable, leftOut: [] });
  if (isAbsolute(folder)) return not('expected a path relative to the scenario file');
  if (!isFolder(checks))
    return not(`checks folder '${folder}' was not found; paths are relative to the scenario file`);
  if (fixture !== null && !relative(realpathSync(fixture), realpathSync(checks)).split(sep).includes('..'))
    return not(
      `'${folder}' is inside the fixture ${displayPath(fixture)}, where the agent sees it; move it out of the fixture`,
    );
  return look(checks, 'checks');
}
