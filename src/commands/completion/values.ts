import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { knownAgents } from '#agents';
import { ownValue } from '#lib';
import { findFiles, openProject, type Project } from '#planning';
import { SCENARIO_ENDING } from '#scenario';
import { runFiles, SCHEDULES } from '#store';
import { findPlan, newestSweeps } from '#sweeps';

/** Only the newest ids are offered, because users mostly want these. */
const MAX_IDS = 50;

const agents = ({ config }: Project): string[] => [...knownAgents(config.agents).keys()];
const models = ({ config }: Project): string[] => [
  ...Object.values(config.agents).flatMap((agent) => agent.models),
  ...Object.values(config.profiles).flatMap((profile) => profile.models),
];
const profiles = ({ config }: Project): string[] => Object.keys(config.profiles);

/** Scenarios as `run` accepts them: paths in the fixtures folder, without extension. */
const scenarios = (project: Project): string[] =>
  findFiles(project, { files: [], all: true }).map((file) =>
    relative(project.fixturesPath, file).replace(SCENARIO_ENDING, ''),
  );

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
const sweeps = ({ resultsPath }: Project): string[] => newestSweeps(resultsPath).slice(0, MAX_IDS);
const runs = ({ resultsPath }: Project): string[] =>
  namesIn(resultsPath)
    .filter((name) => existsSync(runFiles(join(resultsPath, name)).run))
    .sort() // ids begin with the start time
    .reverse()
    .slice(0, MAX_IDS);

const schedules = ({ resultsPath }: Project): string[] =>
  namesIn(join(resultsPath, SCHEDULES)).flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -5)] : []));

/** Cells of the newest sweep, the one that is most likely retried. */
const cells = ({ resultsPath }: Project): string[] => {
  const [newest] = newestSweeps(resultsPath);
  return newest === undefined ? [] : findPlan(resultsPath, newest).cells.map(({ id }) => id);
};

/** The variants of the newest sweep, and of the scenarios that can be run. */
const variants = ({ resultsPath }: Project): string[] => {
  const [newest] = newestSweeps(resultsPath);
  return newest === undefined ? [] : findPlan(resultsPath, newest).scenarios.map(({ variant }) => variant);
};

const owners = ({ resultsPath }: Project): string[] =>
  newestSweeps(resultsPath)
    .slice(0, MAX_IDS)
    .flatMap((id) => findPlan(resultsPath, id).owner ?? []);

/** The values for an option or argument of this name, in any command. */
const sources: Record<string, (project: Project) => string[]> = {
  '--agents': agents,
  '--tools': agents,
  '--try': agents,
  '--models': models,
  '--model': models,
  '--profile': profiles,
  '--cell': cells,
  '--variants': variants,
  '--owner': owners,
  files: scenarios,
  schedule: schedules,
  sweep: sweeps,
  base: sweeps,
  head: sweeps,
  id: (project) => [...sweeps(project), ...runs(project)],
};

/** Returns the values for an option or argument. Empty if none are known, or the project cannot be read. */
export function valuesOf(name: string, results: string | undefined): string[] {
  const source = ownValue(sources, name);
  if (source === undefined) return [];
  try {
    return [...new Set(source(openProject(results)))];
  } catch {
    // The config is invalid, or a folder cannot be read; the command itself will report it.
    return [];
  }
}
