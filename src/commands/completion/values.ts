import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { knownAgents } from '../../agents/index.js';
import { runFiles } from '../../store/results-folder.js';
import { findFiles } from '../../planning/find-scenario-files.js';
import { openProject, type Project } from '../../planning/project.js';
import { newestSweeps } from '../../client/sweeps/newest-sweeps.js';

/** The newest are those that are asked for. */
const MOST_IDS = 50;

const agents = ({ config }: Project): string[] => [...knownAgents(config.agents).keys()];
const models = ({ config }: Project): string[] => [
  ...Object.values(config.agents).flatMap((agent) => agent.models),
  ...Object.values(config.profiles).flatMap((profile) => profile.models),
];
const profiles = ({ config }: Project): string[] => Object.keys(config.profiles);

/** As `run` takes them: paths in the fixtures folder, without their ending. */
const scenarios = (project: Project): string[] =>
  findFiles(project, { files: [], all: true }).map((file) =>
    relative(project.fixturesPath, file).replace(/\.ya?ml$/, ''),
  );

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
const sweeps = ({ resultsPath }: Project): string[] => newestSweeps(resultsPath).slice(0, MOST_IDS);
const runs = ({ resultsPath }: Project): string[] =>
  namesIn(resultsPath)
    .filter((name) => existsSync(runFiles(join(resultsPath, name)).run))
    .sort() // they begin with their time
    .reverse()
    .slice(0, MOST_IDS);

/** What can stand for an option or an argument of this name, wherever a verb has one. */
const sources: Record<string, (project: Project) => string[]> = {
  '--agents': agents,
  '--tools': agents,
  '--try': agents,
  '--models': models,
  '--model': models,
  '--profile': profiles,
  files: scenarios,
  sweep: sweeps,
  base: sweeps,
  head: sweeps,
  id: (project) => [...sweeps(project), ...runs(project)],
};

/** Values for an option or an argument; none where nobody knows any, or the project cannot be read. */
export function valuesOf(name: string, results: string | undefined): string[] {
  const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
  if (source === undefined) return [];
  try {
    return [...new Set(source(openProject(results)))];
  } catch {
    // A broken config, or a folder that cannot be read: the command itself will say so.
    return [];
  }
}
