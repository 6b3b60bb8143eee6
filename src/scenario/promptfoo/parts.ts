import { type Path, type ProblemAt, problemIn, type Source } from '#input';
import { isMap, type Problem } from '#lib';
import { parseYaml } from '../yaml/load-yaml.js';

/** Collects the parts of a file that an import does not take, each with its place and the reason. */
export interface LeftOut {
  problems: Problem[];
  add(path: Path, reason: string): void;
  /** Adds the keys of a map other than these. */
  addOthers(value: Readonly<Record<string, unknown>>, path: Path, known: readonly string[]): void;
}

/** Adds to the problems that there are, for example those of the file that names this one. */
function createLeftOut(problemAt: ProblemAt, problems: Problem[] = []): LeftOut {
  const add = (path: Path, reason: string): void => {
    const problem = problemAt(path, `not taken: ${reason}`);
    if (!problems.some((one) => JSON.stringify(one) === JSON.stringify(problem))) problems.push(problem);
  };
  return {
    problems,
    add,
    addOthers(value, path, known) {
      for (const key of Object.keys(value))
        if (!known.includes(key)) add([...path, key], `${key} has no counterpart in a scenario`);
    },
  };
}

/** Reads a file by its path relative to the config; null if it cannot be read, or lies outside of its folder. */
export type ReadBeside = (path: string) => string | null;

/** A value of a file, with its place. */
export interface Part {
  value: unknown;
  path: Path;
  left: LeftOut;
}

/** The value of a file. `problems`: where to add what is left out of it. */
export const partOf = (source: Source, problems: Problem[] = []): Part => ({
  value: source.value,
  path: [],
  left: createLeftOut((path, message) => problemIn(source, path, message), problems),
});

/** A field of a map; undefined if there is none. */
export const fieldOf = (part: Part, key: string): Part | undefined =>
  isMap(part.value) && part.value[key] !== undefined && part.value[key] !== null
    ? { ...part, value: part.value[key], path: [...part.path, key] }
    : undefined;

/** The items of a list; a single value counts as a list of it. */
export const itemsOf = (part: Part | undefined): Part[] => {
  if (part === undefined) return [];
  if (!Array.isArray(part.value)) return [part];
  return part.value.map((value: unknown, index) => ({ ...part, value, path: [...part.path, index] }));
};

/** The path in `file://path`; null for any other text. */
export const fileIn = (value: unknown): string | null =>
  typeof value === 'string' && value.startsWith('file://') ? value.slice('file://'.length).replace(/^\.\//, '') : null;

/** Reads a YAML, JSON or JSONL file that a value names. Null, and listed as left out, if that is impossible. */
export function readPart(part: Part, path: string, read: ReadBeside): Part | null {
  const refuse = (reason: string): null => {
    part.left.add(part.path, reason);
    return null;
  };
  if (!/\.(ya?ml|jsonl?)$/i.test(path)) return refuse(`${path} is no YAML or JSON file`);
  const text = read(path);
  if (text === null) return refuse(`${path} cannot be read`);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const { source } = parseYaml(path, /\.jsonl$/i.test(path) ? `[\n${lines.join(',\n')}\n]` : text);
  if (source === null) return refuse(`${path} is not valid`);
  return partOf(source, part.left.problems);
}
