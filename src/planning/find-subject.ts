import { apartFrom } from '#environments';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { displayPath } from '#host';
import type { ProblemAt } from '#input';
import { type Problem, UsageError } from '#lib';
import { isCommandMock, isEndpointMock, isMcpMock } from '#mocks';
import { findAgentStep, loadSkill, type Scenario, type ScenarioVariant } from '#scenario';
import { type McpServer, mcpServersOf, type StoredSubject } from '#subjects';
import { isFile, isFolder, loadText } from './file-checks.js';
import { readPlugin } from './find-plugin.js';
import { pathsIn } from './left-out.js';
import type { Project } from './project.js';
import { filesInSubject, type FoundPart, type Secret } from './subject-folder.js';

/** The subject of a scenario with the contents of its files, and its problems. */
interface FoundSubject {
  subject: StoredSubject[];
  /** Absolute paths of its files and folders. */
  paths: string[];
  /** The files in the folders of skills and plugins that are not given to the agent. */
  leftOut: string[];
  problems: Problem[];
}

/**
 * Reads the skills, instructions and plugins that a scenario names, and checks its MCP servers. Adds the text of files
 * with problems to `texts`.
 */
export async function findSubject(
  scenarioPath: string,
  { scenario, problemAt }: Pick<ScenarioVariant, 'scenario' | 'problemAt'>,
  texts: Map<string, string>,
  secret: Secret,
): Promise<FoundSubject> {
  const found: FoundSubject = { subject: [], paths: [], leftOut: [], problems: [] };
  const named = scenario.subject ?? [];
  if (named.length > 0 && findAgentStep(scenario) === null)
    found.problems.push(problemAt(['subject'], 'no agent takes part in this scenario, so nothing can use it'));
  const names = new Set<string>();
  for (const [index, { skill, instructions, plugin, mcp }] of named.entries()) {
    const parts = [
      ...(skill === undefined ? [] : [{ key: 'skill', name: skill, read: readSkillFolder }]),
      ...(instructions === undefined ? [] : [{ key: 'instructions', name: instructions, read: readInstructions }]),
      ...(plugin === undefined ? [] : [{ key: 'plugin', name: plugin, read: readPlugin }]),
    ];
    if (mcp !== undefined) {
      const one = findServer(scenarioPath, mcp, scenario);
      if ('message' in one) found.problems.push(problemAt(['subject', index, 'mcp', one.at], one.message));
      else if (isTaken(names, one.part))
        found.problems.push(problemAt(['subject', index, 'mcp', 'name'], twice(one.part)));
      else found.subject.push(one.part);
    }
    for (const { key, name, read } of parts) {
      const at = ['subject', index, key];
      const one = isAbsolute(name)
        ? { message: 'expected a path relative to the scenario file' }
        : await read(resolve(dirname(scenarioPath), name), name, texts, secret, scenario);
      if ('message' in one) found.problems.push(problemAt(at, one.message));
      else if ('problems' in one) found.problems.push(...one.problems);
      else if (isTaken(names, one.part)) found.problems.push(problemAt(at, twice(one.part)));
      else {
        found.subject.push(one.part, ...(one.more ?? []));
        found.paths.push(one.path);
        found.leftOut.push(...(one.leftOut ?? []).map((path) => `${name}/${path}`));
      }
    }
  }
  return found;
}

/** Returns true if a part of the same kind and name was found before. Remembers the part. */
function isTaken(names: Set<string>, part: StoredSubject): boolean {
  const name = nameOf(part);
  const isKnown = name !== null && names.has(name);
  if (name !== null) names.add(name);
  return isKnown;
}

const nameOf = (part: StoredSubject): string | null => {
  switch (part.kind) {
    case 'skill':
      return `skill '${part.name}'`;
    case 'plugin':
      return `plugin '${part.name}'`;
    case 'mcp':
      return `MCP server '${part.server.name}'`;
    case 'instructions':
      return null;
  }
};

const twice = (part: StoredSubject): string => `the ${nameOf(part) ?? part.kind} is named twice`;

async function readSkillFolder(
  path: string,
  name: string,
  texts: Map<string, string>,
  secret: Secret,
): Promise<FoundPart> {
  if (!isFolder(path))
    return {
      message: `skill folder '${name}' ${isFile(path) ? 'is a file; name the folder that contains SKILL.md' : 'was not found; paths are relative to the scenario file'}`,
    };
  const read = loadText(join(path, 'SKILL.md'));
  if (!read.ok)
    return {
      message: isFile(join(path, 'SKILL.md'))
        ? `SKILL.md of '${name}' cannot be read: ${read.reason}`
        : `the folder '${name}' has no SKILL.md, so it is no skill`,
    };
  const file = displayPath(join(path, 'SKILL.md'));
  const skill = loadSkill(file, read.text);
  if (!skill.ok) {
    texts.set(file, read.text);
    return { problems: skill.problems };
  }
  const judging = pathsIn(path, secret.judging);
  // Files that the skill itself uses cannot be kept from the agent.
  const shared = judging.find((one) => one === '' || read.text.includes(`${one}/`));
  if (shared !== undefined)
    return {
      message: `${join(name, shared)} is part of the skill, and of what judges the agent; move that out of the skill`,
    };
  const found = await filesInSubject('skill', path, [...judging, ...pathsIn(path, secret.folders)]);
  return typeof found === 'string'
    ? { message: found }
    : {
        part: { kind: 'skill', name: skill.value.name, files: found.files },
        path,
        leftOut: found.leftOut,
      };
}

function readInstructions(path: string, name: string): Promise<FoundPart> {
  const read = loadText(path);
  const message = isFile(path)
    ? `instructions '${name}' cannot be read: ${read.ok ? '' : read.reason}`
    : `instructions '${name}' were not found or are not a file; paths are relative to the scenario file`;
  return Promise.resolve(
    !read.ok
      ? { message }
      : read.text.trim() === ''
        ? { message: `instructions '${name}' are empty` }
        : { part: { kind: 'instructions', text: read.text }, path },
  );
}

/** An MCP server as it is stored, or why it cannot be used: `at` is the field with the problem. */
type FoundServer = { part: StoredSubject } | { at: keyof McpServer; message: string };

/** Says that the subject has no server of this name. */
const noServer = (name: string, servers: readonly string[]): string =>
  `the subject has no MCP server '${name}'${servers.length === 0 ? '' : `; it has ${servers.join(', ')}`}`;

/** Checks an MCP server under test, and makes the path of its program absolute. */
function findServer(scenarioPath: string, server: McpServer, { environment }: Scenario): FoundServer {
  if (apartFrom(environment) !== null)
    return {
      at: 'name',
      message: `MCP servers cannot be tested in environment.type ${environment.type}: the proxy that records calls runs on this machine; use local or bubblewrap`,
    };
  const { command } = server;
  if (command === undefined || !command.includes('/')) return { part: { kind: 'mcp', server } };
  const path = resolve(dirname(scenarioPath), command);
  return isFile(path)
    ? { part: { kind: 'mcp', server: { ...server, command: path } } }
    : {
        at: 'command',
        message: `the program '${command}' was not found; paths are relative to the scenario file`,
      };
}

/** The name in SKILL.md, under which the skill is installed. @throws UsageError with its problems */
export function skillName(folder: string): string {
  const file = displayPath(join(folder, 'SKILL.md'));
  const read = loadText(join(folder, 'SKILL.md'));
  if (!read.ok) throw new UsageError('usage', `${file} cannot be read: ${read.reason}`);
  const skill = loadSkill(file, read.text);
  if (skill.ok) return skill.value.name;
  throw new UsageError('scenario_invalid', `${file} is not valid`, skill.problems, new Map([[file, read.text]]));
}

/**
 * Finds mocks that the scenario cannot have: in a container, of the target, or that would run outside of the sandbox.
 */
export function mockProblems(
  { config }: Pick<Project, 'config'>,
  { mocks = [], mock_url_variables = [], environment, target: ofScenario, subject = [] }: Scenario,
  problemAt: ProblemAt,
  found: readonly StoredSubject[],
): Problem[] {
  const { type } = environment;
  const servers = [...subject.flatMap(({ mcp }) => mcp?.name ?? []), ...mcpServersOf(found).map(({ name }) => name)];
  const apart = apartFrom(environment);
  if (apart !== null) {
    if (mocks.some(isCommandMock))
      return [
        problemAt(
          ['mocks'],
          `commands cannot be mocked in environment.type ${type}; use local or bubblewrap, or put stand-ins into the ${apart.madeFrom}`,
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
      return [problemAt(['mocks', index, 'command'], `'${mock.command}' is the target, which must not be mocked`)];
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
