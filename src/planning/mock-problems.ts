import { basename } from 'node:path';
import type { Problem } from '../lib/errors/problem.js';
import { noServer } from './find-server.js';
import { isCommandMock, isEndpointMock, isMcpMock } from '../mocks/mock-kinds.js';
import { isApart, type Scenario } from '../scenario/scenario.js';
import type { ProblemAt } from '../scenario/problems/source.js';
import type { Project } from './project.js';

/** Finds mocks that the scenario cannot have: in a container, of the target, or that would run outside of the sandbox. */
export function mockProblems(
  { config }: Pick<Project, 'config'>,
  { mocks = [], mock_url_variables = [], environment, target: ofScenario, subject = [] }: Scenario,
  problemAt: ProblemAt,
): Problem[] {
  const { type } = environment;
  const servers = subject.flatMap(({ mcp }) => mcp?.name ?? []);
  if (isApart(environment)) {
    if (mocks.some(isCommandMock))
      return [
        problemAt(
          ['mocks'],
          `commands cannot be mocked in environment.type ${type}; use local or bubblewrap, or put stand-ins into the ${environment.type === 'docker' ? 'image' : 'template'}`,
        ),
      ];
    if (mocks.some(isEndpointMock))
      return [
        problemAt(
          ['mocks'],
          `HTTP endpoints cannot be mocked in environment.type ${type}, which has its own loopback; use local or bubblewrap`,
        ),
      ];
  }
  const target = ofScenario === 'from_config' ? config.target : ofScenario;
  const name = target == null ? null : basename(target.binary);
  const ofVariables = mock_url_variables.flatMap((variable, index) => {
    const message = !mocks.some(isEndpointMock)
      ? `${variable} would have no address: setup.mocks has no endpoint`
      : Object.hasOwn(target?.env ?? {}, variable)
        ? `${variable} is also set by target.env; remove it from one of them`
        : null;
    return message === null ? [] : [problemAt(['mock_url_variables', index], message)];
  });
  const ofMocks = mocks.flatMap((mock, index) => {
    if (isCommandMock(mock) && mock.command === name)
      return [
        problemAt(['mocks', index, 'command'], `'${mock.command}' is the target, which must not be mocked`),
      ];
    if (isMcpMock(mock) && !servers.includes(mock.mcp))
      return [problemAt(['mocks', index, 'mcp'], noServer(mock.mcp, servers))];
    if (isEndpointMock(mock) && mock.when.matcher !== undefined && type !== 'local')
      return [
        problemAt(
          ['mocks', index, 'when', 'matcher'],
          'the matcher of an endpoint would run outside of the sandbox; use args or input, or environment.type local',
        ),
      ];
    return [];
  });
  return [...ofMocks, ...ofVariables];
}
