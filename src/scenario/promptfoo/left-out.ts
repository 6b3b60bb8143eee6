import type { Path, ProblemAt } from '#input';
import type { Problem } from '#lib';

/** Collects the parts of a file that an import does not take, each with its place and the reason. */
export interface LeftOut {
  problems: Problem[];
  add(path: Path, reason: string): void;
  /** Adds the keys of a map other than these. */
  addOthers(value: Readonly<Record<string, unknown>>, path: Path, known: readonly string[]): void;
}

/** Adds to the problems that there are, for example those of the file that names this one. */
export function createLeftOut(problemAt: ProblemAt, problems: Problem[] = []): LeftOut {
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
