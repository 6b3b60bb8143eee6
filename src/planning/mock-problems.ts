import { basename } from 'node:path';
import type { Problem } from '../lib/errors/problem.js';
import { isCommandMock, isEndpointMock } from '../mocks/mock-kinds.js';
import type { Scenario } from '../scenario/scenario.js';
import type { ProblemAt } from '../scenario/problems/source.js';
import type { Project } from './project.js';

/** Finds mocks that the scenario cannot have: in a container, of the target, or that would run outside of the sandbox. */
export function mockProblems(
  { config }: Pick<Project, 'config'>,
  { mocks = [], environment, target: ofScenario }: Scenario,
  problemAt: ProblemAt,
): Problem[] {
  if (environment.type === 'docker') {
    if (mocks.some(isCommandMock))
      return [
        problemAt(
          ['mocks'],
          'commands cannot be mocked in environment.type docker; use local or bubblewrap, or put stand-ins into the image',
        ),
      ];
    if (mocks.some(isEndpointMock))
      return [
        problemAt(
          ['mocks'],
          'HTTP endpoints cannot be mocked in environment.type docker, which has its own loopback; use local or bubblewrap',
        ),
      ];
  }
  const target = ofScenario === 'from_config' ? config.target : ofScenario;
  const name = target == null ? null : basename(target.binary);
  return mocks.flatMap((mock, index) => {
    if (isCommandMock(mock) && mock.command === name)
      return [
        problemAt(['mocks', index, 'command'], `'${mock.command}' is the target, which must not be mocked`),
      ];
    if (isEndpointMock(mock) && mock.when.matcher !== undefined && environment.type !== 'local')
      return [
        problemAt(
          ['mocks', index, 'when', 'matcher'],
          `the matcher of an endpoint would run outside of the sandbox; use args or input, or environment.type local`,
        ),
      ];
    return [];
  });
}
