import { dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { satisfies } from 'semver';
import { displayPath } from '#host';
import { check, type Path, type ProblemAt } from '#input';
import { isJsonObject, type Json, parseJson, type Problem } from '#lib';
import { Character, modelsOf, parseYaml, type Scenario, type ScenarioVariant } from '#scenario';
import { isFile, loadText, readText } from './file-checks.js';

const CORE = '@elizaos/core';
const SUPPORTED = '>=1.6.5 <2';
const MODULES = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'];

/** The parts of an ElizaOS runtime on this machine, and the reasons why it cannot be started. */
export interface FoundRuntime {
  /** Absolute paths of packages and files. */
  reads: string[];
  /** Names of the variables that its plugins declare or read. */
  settings: string[];
  /** By path in the scenario. */
  problems: { path: Path; message: string }[];
}

/** Looks for the packages and files of a runtime from the folder of the scenario file. Loads none of them. */
export function findRuntime(folder: string, { runtime }: Scenario): FoundRuntime {
  const found: FoundRuntime = { reads: [], settings: [], problems: [] };
  const report = (path: Path, message: string): void => {
    found.problems.push({ path, message });
  };
  const core = findPackage(folder, CORE);
  if (core === null)
    report(
      ['runtime'],
      `the agent eliza needs the package ${CORE}, which was not found from ${folder}; install it: npm install ${CORE}@1`,
    );
  else if (!satisfies(core.version, SUPPORTED, { includePrerelease: true }))
    report(
      ['runtime'],
      `the agent eliza needs ${CORE} ${SUPPORTED}, but ${core.version} is installed; install it: npm install ${CORE}@1`,
    );
  else found.reads.push(core.path);

  for (const { at, name, version } of pluginsOf(runtime)) {
    if (isPath(name)) {
      const path = resolve(folder, name);
      const problem = moduleProblem(path, name);
      if (problem !== null) report(at, problem);
      else {
        found.reads.push(path);
        found.settings.push(...settingsReadIn(readText(path) ?? ''));
      }
      if (version !== undefined) report([...at, 'version'], 'only a package has a version; remove it');
      continue;
    }
    const plugin = findPackage(folder, name);
    if (plugin === null) report(at, `the plugin ${name} was not found from ${folder}; install it: npm install ${name}`);
    else if (version !== undefined && !satisfies(plugin.version, version, { includePrerelease: true }))
      report(
        [...at, 'version'],
        `expected ${name} ${version}, but ${plugin.version} is installed; install it: npm install '${name}@${version}'`,
      );
    else {
      found.reads.push(plugin.path);
      found.settings.push(...plugin.settings);
    }
  }

  const { character = null } = runtime ?? {};
  if (typeof character === 'string') {
    const path = resolve(folder, character);
    const problem = moduleProblem(path, character);
    if (problem !== null) report(['runtime', 'character'], problem);
    else found.reads.push(path);
  }
  return found;
}

interface NamedPlugin {
  /** The place where the scenario names it. */
  at: Path;
  name: string;
  version?: string | undefined;
}

/** The plugins that a runtime loads: those of the scenario, and those that its character names besides. */
function pluginsOf(runtime: Scenario['runtime']): NamedPlugin[] {
  const { plugins = [], character = null } = runtime ?? {};
  const names = new Set(plugins.map(({ name }) => name));
  const ofCharacter = isJsonObject(character) && Array.isArray(character['plugins']) ? character['plugins'] : [];
  return [
    ...plugins.flatMap(({ name, version, enabled }, index) =>
      enabled ? [{ at: ['runtime', 'plugins', index], name, version }] : [],
    ),
    ...ofCharacter.flatMap((name, index) =>
      typeof name === 'string' && !names.has(name) ? [{ at: ['runtime', 'character', 'plugins', index], name }] : [],
    ),
  ];
}

/** True if the name of a plugin is that of a file, and not of a package. */
const isPath = (name: string): boolean => name.startsWith('.') || isAbsolute(name);

/** Returns why a file cannot be loaded as a module; null if it can. */
export function moduleProblem(path: string, written: string): string | null {
  if (!isFile(path)) return `'${written}' was not found: ${path} is not a file; correct the path`;
  return MODULES.includes(extname(path))
    ? null
    : `'${written}' is not a module; expected a file ending in ${MODULES.join(', ')}`;
}

interface Package {
  path: string;
  version: string;
  /** Names of the variables that it declares, if it is a plugin. */
  settings: string[];
}

/** The names in `agentConfig.pluginParameters`, where plugins of ElizaOS declare their settings. */
function settingsDeclaredIn(agentConfig: Json | undefined): string[] {
  const parameters = isJsonObject(agentConfig) ? agentConfig['pluginParameters'] : undefined;
  return isJsonObject(parameters) ? Object.keys(parameters) : [];
}

const READ = /\bgetSetting\(\s*(['"`])(\w+)\1|\bprocess\.env(?:\.([A-Za-z_]\w*)|\[\s*(['"`])(\w+)\4\s*\])/g;

/** The names that the text of a plugin reads: `getSetting('NAME')`, `process.env.NAME`. */
export const settingsReadIn = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(READ)].flatMap(([, , setting, variable, , quoted]) => setting ?? variable ?? quoted ?? []),
  ),
];

/** Finds a package as Node does: in the nearest node_modules at or above a folder. */
function findPackage(folder: string, name: string): Package | null {
  const path = join(folder, 'node_modules', name);
  const json = parseJson(readText(join(path, 'package.json')) ?? '');
  if (isJsonObject(json)) {
    const { version, agentConfig } = json;
    return {
      path,
      version: typeof version === 'string' ? version : '',
      settings: settingsDeclaredIn(agentConfig),
    };
  }
  const parent = dirname(folder);
  return parent === folder ? null : findPackage(parent, name);
}

/**
 * Replaces the path of a JSON file with the character in it, so that the plan contains what is tested. Modules are
 * loaded only when they run.
 */
export function loadCharacter(
  scenarioPath: string,
  scenario: Scenario,
  problemAt: ProblemAt,
): { scenario: Scenario; problems: Problem[] } {
  const { runtime } = scenario;
  const path = runtime?.character ?? null;
  if (runtime === undefined || typeof path !== 'string' || !path.endsWith('.json')) return { scenario, problems: [] };
  const unusable = (reason: string) => ({
    scenario,
    problems: [
      problemAt(['runtime', 'character'], `the character '${path}' ${reason}; paths are relative to the scenario file`),
    ],
  });
  const file = resolve(dirname(scenarioPath), path);
  const read = loadText(file);
  if (!read.ok) return unusable(`cannot be read: ${read.reason}`);
  const character = parseJson(read.text);
  if (!isJsonObject(character)) return unusable('is not a JSON object');
  const { source } = parseYaml(displayPath(file), read.text); // JSON is YAML, and this knows the place of each value
  const checked = source === null ? null : check(Character, source);
  if (checked?.ok === false) return { scenario, problems: checked.problems };
  const models = modelsOf(character);
  return {
    scenario: {
      ...scenario,
      runtime: { ...runtime, character },
      agents: scenario.agents.map((one) => ({ ...one, models })),
    },
    problems: [],
  };
}

/** Returns the problems of the ElizaOS runtime that a scenario needs, at their places in the scenario file. */
export const runtimeProblems = ({
  path,
  variants,
}: {
  path: string;
  variants: readonly ScenarioVariant[];
}): Problem[] =>
  variants.flatMap(({ scenario, problemAt }) =>
    findRuntime(dirname(path), scenario).problems.map((one) => problemAt(one.path, one.message)),
  );
