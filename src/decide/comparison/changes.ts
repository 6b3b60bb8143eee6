import { normalize } from 'node:path/posix';
import { isJsonObject, type Json, ownValue } from '#lib';
import { type ResultLine, scenarioLabel } from '#model';
import type { Change, Configuration } from './document.js';
import type { Pair, SweepResults } from './arms.js';

/**
 * Returns the paths at which two values differ, such as `steps.agent.prompt` or `gates[1].path`. Lists of different
 * lengths differ as a whole.
 */
export function jsonDifferences(a: Json | undefined, b: Json | undefined, path = ''): string[] {
  if (isJsonObject(a) && isJsonObject(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return keys.flatMap((key) => jsonDifferences(a[key], b[key], path === '' ? key : `${path}.${key}`));
  }
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length)
    return a.flatMap((one, at) => jsonDifferences(one, b[at], `${path}[${at}]`));
  return JSON.stringify(a) === JSON.stringify(b) ? [] : [path];
}

/** The inputs of a run, as its record contains them; null: unknown. */
export interface RunInputs {
  agent_version: string | null;
  model_used: string | null;
  environment: string;
  /** Fingerprint of the target's program. */
  target: string | null;
  /** The output of its health check. */
  health_check: string | null;
}

/** The inputs that a sweep was planned and run with, as far as they can be read. */
export interface SweepInputs {
  /** By label of scenario and variant: scenario.json of the store, with its steps by name. */
  scenarios: ReadonlyMap<string, Json>;
  /** Settings of the config, by agent. */
  agents: { readonly [name: string]: Json };
  prices: Json;
  /** By the folder of the run. */
  runInputs: ReadonlyMap<string, RunInputs>;
}

/** Parts of scenario.json that do not affect the result of a run. */
const NEUTRAL = /^scenario\.(description|tier|tags|agents|repeat|cost\.cache)\b/;
/** The thing under test is meant to change between two sweeps: a change of it casts no doubt on the comparison. */
const UNDER_TEST = /^(target(_path|_files)?|(scenario\.)?subject)\b/;

/** Returns the differences between the sweeps' inputs, in the configurations that both have. */
export function changesBetween(
  base: SweepInputs & Pick<SweepResults, 'variant'>,
  head: SweepInputs & Pick<SweepResults, 'variant'>,
  pairs: readonly Pair[],
  fixtureFiles: ReadonlyMap<string, readonly string[]>,
): Change[] {
  const names = (of: (one: Configuration) => string) => [
    ...new Set(pairs.map(({ head: { configuration } }) => of(configuration))),
  ];
  const known = together([
    ...names(scenarioLabel).flatMap((name) => {
      const [before, after] = [base.scenarios.get(name), head.scenarios.get(name)];
      const files = fixtureFiles.get(name) ?? [];
      if (before === undefined || after === undefined) return [];
      const found = scenarioChanges(name, before, after, files);
      // The differences between two variants are what is to be compared.
      return base.variant === head.variant ? found : found.map((change) => ({ ...change, doubtful: false }));
    }),
    ...names(({ agent }) => agent).flatMap((name) =>
      jsonDifferences(ownValue(base.agents, name), ownValue(head.agents, name)).map((path) =>
        changeOf(path === '' ? 'the config of the agent' : `the config of the agent: ${path}`, name),
      ),
    ),
    ...pairs.flatMap((pair) => factChanges(pair, base.runInputs, head.runInputs)),
  ]);
  const unexplained = pairs.filter(
    (pair) => hasSameInputs(pair) === false && !known.some((change) => concerns(change, pair)),
  );
  return [
    ...known,
    ...together(unexplained.map(({ head: { configuration } }) => changeOf(UNRECORDED, scenarioLabel(configuration)))),
  ];
}

const UNRECORDED = 'an unrecorded input: a program file, an environment variable, or the llm-tool-test build';

/** Returns what is known to differ since a baseline was written: whether the inputs do, but not which of them. */
export const changesSinceBaseline = (pairs: readonly Pair[]): Change[] =>
  together(
    pairs
      .filter((pair) => hasSameInputs(pair) === false)
      .map(({ head: { configuration } }) =>
        changeOf('the inputs; a baseline does not record which', scenarioLabel(configuration)),
      ),
  );

/**
 * Returns whether cells of the same repetition have the same inputs, which are everything that a result depends on;
 * null if that is known of no repetition on both sides.
 */
export function hasSameInputs({ base, head }: Pick<Pair, 'base' | 'head'>): boolean | null {
  const same = [...head.inputs].flatMap(([repetition, after]) => {
    const before = base.inputs.get(repetition);
    return before === undefined ? [] : [before === after];
  });
  return same.length === 0 ? null : same.every(Boolean);
}

const changeOf = (what: string, of: string, more: Partial<Change> = {}): Change => ({
  what,
  base: null,
  head: null,
  doubtful: true,
  of: [of],
  ...more,
});

function scenarioChanges(name: string, before: Json, after: Json, files: readonly string[]): Change[] {
  return jsonDifferences(before, after).flatMap((path) => {
    // The target as it was run is compared under `target`.
    if (path.startsWith('scenario.target')) return [];
    if (path === 'fixture') {
      const onlyTarget = files.length === 1 && files[0] === targetFile(before) && files[0] === targetFile(after);
      return changeOf(`the fixture: ${someOf(files)}`, name, {
        doubtful: !onlyTarget,
      });
    }
    if (path === 'checks') return changeOf('files of the checks folder', name);
    const [base, head] = path === 'target_path' ? [before, after].map((of) => textAt(of, path)) : [];
    const what = path === 'target_path' ? 'the path of the target' : path.replace(/^scenario\./, '');
    return changeOf(what, name, {
      base: base ?? null,
      head: head ?? null,
      doubtful: !NEUTRAL.test(path) && !UNDER_TEST.test(path),
    });
  });
}

/** Lists the first few file names. */
const someOf = (files: readonly string[]): string => {
  const more = files.length > MAX_FILES ? ` and ${files.length - MAX_FILES} more` : '';
  return files.length === 0 ? 'its files' : files.slice(0, MAX_FILES).join(', ') + more;
};

const MAX_FILES = 5;

/** Returns the path of the target if it is a file of the fixture; null if it is found elsewhere. */
function targetFile(scenario: Json): string | null {
  const target = isJsonObject(scenario) ? scenario['target'] : undefined;
  const binary = isJsonObject(target) ? target['binary'] : undefined;
  return typeof binary === 'string' && textAt(scenario, 'target_path') === null ? normalize(binary) : null;
}

function textAt(value: Json, key: string): string | null {
  const found = isJsonObject(value) ? value[key] : undefined;
  return typeof found === 'string' ? found : null;
}

/** Returns the values in run records that both sides have and that differ. */
function factChanges(
  { base, head }: Pair,
  before: SweepInputs['runInputs'],
  after: SweepInputs['runInputs'],
): Change[] {
  const { agent, model } = head.configuration;
  const scenario = scenarioLabel(head.configuration);
  const compare = (what: string, of: string, name: keyof RunInputs, doubtful = true): Change[] => {
    const [was, is] = [valuesOf(base.samples, before, name), valuesOf(head.samples, after, name)];
    return was === '' || is === '' || was === is ? [] : [changeOf(what, of, { base: was, head: is, doubtful })];
  };
  return [
    ...compare('the program of the target', scenario, 'target', false),
    ...compare('the output of the health check', scenario, 'health_check', false),
    ...compare('the version of the agent', agent, 'agent_version'),
    ...compare('the model that answered', `${agent}/${model}`, 'model_used'),
    ...compare('the environment', scenario, 'environment'),
  ];
}

const valuesOf = (lines: readonly ResultLine[], facts: SweepInputs['runInputs'], name: keyof RunInputs): string =>
  [...new Set(lines.flatMap(({ results_dir }) => facts.get(results_dir ?? '')?.[name] ?? []))].sort().join(', ');

/** Merges the same change of several scenarios or agents into one. */
function together(changes: readonly Change[]): Change[] {
  const found = new Map<string, Change>();
  for (const change of changes) {
    const key = JSON.stringify({ ...change, of: [] });
    const known = found.get(key);
    found.set(key, known === undefined ? change : { ...known, of: [...new Set([...known.of, ...change.of])] });
  }
  return [...found.values()];
}

const concerns = ({ of }: Change, { head: { configuration } }: Pair): boolean => {
  const { agent, model } = configuration;
  return [scenarioLabel(configuration), agent, `${agent}/${model}`].some((name) => of.includes(name));
};
