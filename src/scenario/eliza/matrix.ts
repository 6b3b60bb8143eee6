import {
  check,
  cleanText,
  distinct,
  formatPath,
  inTextOrder,
  label,
  type Loaded,
  nonBlank,
  type Path,
  type ProblemAt,
  problemIn,
  type Source,
} from '#input';
import { isMap, type Json, type Problem, sha256, suggest } from '#lib';
import { z } from 'zod';
import type { ReadScenario, ScenarioReader, ScenarioVariant } from '../reader.js';
import { checksNothing } from '../scenario.js';
import { loadYaml, parseYaml } from '../yaml/load-yaml.js';
import { filePathOf, NO_EVALUATIONS, toScenario } from './to-scenario.js';
import { ElizaFile } from './schema.js';

/** Keys of scenario files, in either form, that matrix files do not have. */
const SCENARIO_KEYS = ['run', 'steps', 'template_folder', 'task', 'target', 'agent'];

const isMatrix = (value: Record<string, unknown>): boolean =>
  ('base_scenario' in value || Array.isArray(value['matrix'])) && !SCENARIO_KEYS.some((key) => key in value);

const isScenario = (value: Record<string, unknown>): boolean =>
  !('base_scenario' in value) && !Array.isArray(value['matrix']) && SCENARIO_KEYS.some((key) => key in value);

/** The one problem of a matrix file that was given as a scenario; null if the file is none. */
export function matrixGivenAsScenario(file: string, text: string): Problem | null {
  const { source } = parseYaml(file, text);
  if (source === null || !isMap(source.value) || !isMatrix(source.value)) return null;
  const key = 'base_scenario' in source.value ? 'base_scenario' : 'matrix';
  return problemIn(
    source,
    [key],
    `this is a matrix file, not a scenario; run it with: llm-tool-test scenario matrix ${file} (--dry-run only checks it)`,
    'key',
  );
}

/** The one problem of a scenario file that was given as a matrix; null if the file is none. */
function scenarioGivenAsMatrix(file: string, text: string): Problem | null {
  const { source } = parseYaml(file, text);
  if (source === null || !isMap(source.value) || !isScenario(source.value)) return null;
  const { value } = source;
  const [key = 'run'] = SCENARIO_KEYS.filter((one) => one in value);
  return problemIn(
    source,
    [key],
    `this is a scenario, not a matrix file; run it with: llm-tool-test run ${file}`,
    'key',
  );
}

const PATH = /^[A-Za-z_$][\w$]*(\[\d+\])*(\.[A-Za-z_$][\w$]*(\[\d+\])*)*$/;

const EXAMPLE = 'run[0].input or setup.virtual_fs';

/**
 * The reason why a text is not a path, with the path that may be meant: `run.0.code` and `run[0.code` mean
 * `run[0].code`.
 */
function parameterProblem(text: string): string {
  const parts = /[^\w$\s.[\](){}'"/]/.test(text) ? [] : (text.match(/[A-Za-z_$][\w$]*|\d+/g) ?? []);
  const meant = formatPath(parts.map((part) => (/^\d/.test(part) ? Number(part) : part)));
  return PATH.test(meant)
    ? `expected the path of a field; did you mean '${meant}'?`
    : `expected the path of a field, like ${EXAMPLE}`;
}

/** More would not fit into a plan that people can read. */
const MAX_COMBINATIONS = 10_000;

/** A matrix file: a scenario file, and the values that are tried for some of its fields. */
export const MatrixFile = z
  .strictObject({
    name: label('the name of the matrix').describe('Prefix of the id of the sweep'),
    description: z.string().default('').describe('For people'),
    base_scenario: nonBlank('the path of a scenario file').describe('The scenario file, relative to the matrix file'),
    runs_per_combination: z.int().min(1).default(1).describe('Repetitions of every combination'),
    matrix: z
      .array(
        z.strictObject({
          parameter: z
            .string()
            .regex(PATH, { error: ({ input }) => parameterProblem(String(input)) })
            .describe('A field of the scenario file that is replaced'),
          values: z.array(z.json()).min(1).describe('The values that are tried'),
        }),
      )
      .min(1)
      .check(distinct(({ parameter }) => parameter, 'parameter', ['parameter']))
      .refine((axes) => axes.reduce((all, { values }) => all * values.length, 1) <= MAX_COMBINATIONS, {
        error: `expected at most ${MAX_COMBINATIONS} combinations`,
      })
      .describe('The fields that vary; the first one varies slowest'),
  })
  .check(cleanText());
export type MatrixFile = z.infer<typeof MatrixFile>;

/** Reads a matrix file, without its scenario. */
export function loadMatrix(file: string, text: string): Loaded<MatrixFile> {
  const loaded = loadYaml(MatrixFile, file, text);
  const mistaken = loaded.ok ? null : scenarioGivenAsMatrix(file, text);
  return mistaken === null ? loaded : { ok: false, problems: [mistaken] };
}

/** One combination of the values of a matrix. */
export interface Combination {
  /** `combo-001-5f2a90`: its number, and a hash of its values. Serves as the name of a variant. */
  id: string;
  /** By parameter. */
  values: Record<string, Json>;
  /** For each parameter, the index of its value. */
  chosen: number[];
}

/** Lists all combinations of a matrix, in order: the first parameter varies slowest. */
export function combinationsOf({ matrix }: Pick<MatrixFile, 'matrix'>): Combination[] {
  const chosen = matrix.reduce<number[][]>(
    (all, { values }) => all.flatMap((before) => values.map((_, index) => [...before, index])),
    [[]],
  );
  return chosen.map((indexes, at) => {
    const values = Object.fromEntries(
      matrix.map(({ parameter, values }, axis) => [parameter, values[indexes[axis] ?? 0] ?? null]),
    );
    const hash = sha256(JSON.stringify(values)).slice(0, 6);
    return { id: `combo-${String(at + 1).padStart(3, '0')}-${hash}`, values, chosen: indexes };
  });
}

/** True if a combination is selected by `--filter`: a part of its values as JSON, ignoring case. */
export const matchesFilter = ({ values }: Combination, filter: string): boolean =>
  JSON.stringify(values).toLowerCase().includes(filter.toLowerCase());

/**
 * Returns a reader of the base scenario that makes a variant of each combination. A problem with a value is reported at
 * its place in the matrix file.
 */
export const combinationReader =
  (matrix: MatrixFile, combinations: readonly Combination[], inMatrix: ProblemAt): ScenarioReader =>
  (file, text) => {
    const { source, problems } = parseYaml(file, text);
    if (source === null || problems.length > 0) return { ok: false, problems };
    const base = check(ElizaFile, source);
    if (!base.ok) return base;
    const unknown = matrix.matrix.flatMap(({ parameter }, axis) => {
      const message = pathProblem(source.value as Json, parseParameter(parameter));
      return message === null ? [] : [inMatrix(['matrix', axis, 'parameter'], message)];
    });
    if (unknown.length > 0) return { ok: false, problems: unknown };
    const read = combinations.map((one) => variantOf(source, matrix, one, inMatrix));
    const broken = read.flatMap((one) => (one.ok ? [] : one.problems));
    if (broken.length > 0) return { ok: false, problems: inTextOrder(broken) };
    const value: ReadScenario = {
      scenario: { ...toScenario(base.value), repeat: matrix.runs_per_combination },
      variants: read.flatMap((one) => (one.ok ? [one.value] : [])),
    };
    return {
      ok: true,
      value,
      problemAt: (path, ...what) => base.problemAt(filePathOf(base.value, path), ...what),
    };
  };

type ReadVariant = { ok: true; value: ScenarioVariant } | { ok: false; problems: Problem[] };

function variantOf(
  source: Source,
  { matrix, runs_per_combination: repeat }: MatrixFile,
  { id, values, chosen }: Combination,
  inMatrix: ProblemAt,
): ReadVariant {
  const changed = structuredClone(source.value) as Json;
  for (const [parameter, value] of Object.entries(values)) replace(changed, parseParameter(parameter), value);
  const loaded = check(ElizaFile, { ...source, value: changed });
  /** The place of the value that sets a path in the scenario file; null if no parameter does. */
  const placeOf = (path: string): Path | null => {
    const axis = matrix.findLastIndex(({ parameter }) => isWithin(path, parameter));
    return axis === -1 ? null : ['matrix', axis, 'values', chosen[axis] ?? 0];
  };
  if (!loaded.ok) {
    const problems = loaded.problems.map((problem) => {
      const place = placeOf(problem.path);
      return place === null ? problem : inMatrix(place, `${problem.path}: ${problem.message}`);
    });
    return { ok: false, problems };
  }
  const { value: file } = loaded;
  const scenario = toScenario(file);
  if (checksNothing(scenario, false)) {
    const place = placeOf('run');
    return {
      ok: false,
      problems: [
        place === null ? loaded.problemAt(['run'], NO_EVALUATIONS) : inMatrix(place, `run: ${NO_EVALUATIONS}`),
      ],
    };
  }
  return {
    ok: true,
    value: {
      variant: id,
      parameters: values,
      env: {},
      targetBinary: null,
      scenario: { ...scenario, repeat },
      problemAt: (path, message, side) => {
        const inFile = filePathOf(file, path);
        const place = placeOf(formatPath(inFile));
        return place === null ? loaded.problemAt(inFile, message, side) : inMatrix(place, message);
      },
    },
  };
}

const isWithin = (path: string, parameter: string): boolean =>
  path === parameter || path.startsWith(`${parameter}.`) || path.startsWith(`${parameter}[`);

/** `run[0].input` becomes `run`, 0, `input`. */
const parseParameter = (parameter: string): (string | number)[] =>
  [...parameter.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, key = '']) =>
    index === undefined ? key : Number(index),
  );

/** The reason why a path does not name a field that is written in the scenario file; null if it does. */
function pathProblem(value: Json, path: readonly (string | number)[]): string | null {
  let at = value;
  for (const [depth, key] of path.entries()) {
    const next = childOf(at, key);
    if (next !== undefined) {
      at = next;
      continue;
    }
    const [here, named] = [formatPath(path.slice(0, depth)) || 'the scenario file', formatPath([key])];
    if (typeof key === 'number')
      return Array.isArray(at) ? `${here} has no item ${key}; it has ${at.length}` : `${here} is not a list`;
    const known = typeof at === 'object' && at !== null && !Array.isArray(at) ? Object.keys(at) : [];
    const near = suggest(key, known);
    return `${here} has no field ${named}; ${near === null ? `its fields: ${known.join(', ') || 'none'}` : `did you mean '${near}'?`}`;
  }
  return null;
}

const childOf = (value: Json, key: string | number): Json | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return typeof key === 'number' ? value[key] : undefined;
  return Object.hasOwn(value, key) ? value[key] : undefined;
};

/** Replaces what is at a path that exists. */
function replace(value: Json, path: readonly (string | number)[], by: Json): void {
  const parent = path.slice(0, -1).reduce<Json | undefined>((at, key) => childOf(at ?? null, key), value);
  const last = path.at(-1);
  if (typeof parent === 'object' && parent !== null && last !== undefined) Object.assign(parent, { [last]: by });
}
