import { basename } from 'node:path';
import type { Problem } from '../lib/errors/problem.js';
import { isApart, type Scenario } from '../scenario/scenario.js';
import type { ProblemAt } from '../scenario/problems/source.js';
import type { Project } from './project.js';

/** Finds mocked commands that the scenario cannot have: in a container or cloud sandbox, or in place of the target. */
export function mockProblems(
  { config }: Pick<Project, 'config'>,
  { mocks = [], environment, target: ofScenario }: Scenario,
  problemAt: ProblemAt,
): Problem[] {
  if (mocks.length > 0 && isApart(environment))
    return [
      problemAt(
        ['mocks'],
        `commands cannot be mocked in environment.type ${environment.type}; use local or bubblewrap, or put stand-ins into the ${environment.type === 'docker' ? 'image' : 'template'}`,
      ),
    ];
  const target = ofScenario === 'from_config' ? config.target : ofScenario;
  const name = target == null ? null : basename(target.binary);
  return mocks.flatMap(({ command }, index) =>
    command === name
      ? [problemAt(['mocks', index, 'command'], `'${command}' is the target, which must not be mocked`)]
      : [],
  );
}
