import type { Cell, ResultLine } from '#model';
import { pairedCells } from './paired-cells.js';
import type { UntilClear } from './until-clear.js';

/** The inputs of the runs of a configuration on one side, as far as they are known before these begin. */
export interface SideInputs extends Pick<ResultLine, 'scenario_hash' | 'agent' | 'model'> {
  /** The settings of the agent as JSON; null: unknown. */
  settings: string | null;
  /** The fingerprint of the target; null: unknown. */
  target: string | null;
}

/** A configuration that is compared with itself. Null: the inputs of that side are unknown. */
interface PairInputs {
  base: SideInputs | null;
  head: SideInputs | null;
}

/** The inputs of the configurations of two sides. */
export interface Question {
  pairs: PairInputs[];
  /** The sweep that is the base; null if base is a variant. */
  base: string | null;
}

/** A sweep of `run --until-clear` that has tested something, or may still do so. */
export interface Start extends Question {
  sweep: string;
  /** When it was planned, ISO 8601 in UTC. */
  at: string;
  /** The probability of a false verdict that it has taken for itself. */
  alpha: number;
}

type Sides = Pick<Cell, 'scenario' | 'agent' | 'model' | 'variant'>;

/**
 * Returns the question of a sweep of `run --until-clear`. `inputsOf`: of a cell of this sweep; `inBase`: of a
 * configuration in the sweep that is the base.
 */
export const questionOf = (
  cells: readonly Cell[],
  { base }: Pick<UntilClear, 'base'>,
  inputsOf: (cell: Sides) => SideInputs | null,
  inBase: (configuration: Sides) => SideInputs | null,
): Question => ({
  pairs: pairedCells(cells, { base }).map((one) => ({
    base: base.kind === 'sweep' ? inBase(one) : inputsOf({ ...one, variant: base.variant }),
    head: inputsOf(one),
  })),
  base: base.kind === 'sweep' ? base.sweep : null,
});

/**
 * True if two questions have a configuration in common whose sides have the same inputs, whichever side is called base.
 * Unknown inputs count as the same, because a repeated question must not pass for a new one. If nothing differs
 * between the sides, the question is what has changed since the base, so it must be the same base.
 */
export const isSameQuestion = (one: Question, other: Question): boolean =>
  one.pairs.some((pair) =>
    other.pairs.some(({ base, head }) =>
      isSameSide(pair.base, pair.head) && isSameSide(base, head)
        ? isSameSide(pair.base, base) && one.base === other.base
        : (isSameSide(pair.base, base) && isSameSide(pair.head, head)) ||
          (isSameSide(pair.base, head) && isSameSide(pair.head, base)),
    ),
  );

/** True if two sides may have the same inputs. */
export const isSameSide = (one: SideInputs | null, other: SideInputs | null): boolean =>
  one === null ||
  other === null ||
  (one.scenario_hash === other.scenario_hash &&
    one.agent === other.agent &&
    one.model === other.model &&
    isAlike(one.settings, other.settings) &&
    isAlike(one.target, other.target));

const isAlike = (one: string | null, other: string | null): boolean => one === null || other === null || one === other;

/** The inputs of results, by what the newest of them has. `agents`: the settings of their sweep; null: unknown. */
export function inputsOfLine(
  line: Pick<ResultLine, 'scenario_hash' | 'agent' | 'model' | 'target_fingerprint'>,
  agents: Readonly<Record<string, unknown>> | null,
): SideInputs {
  return {
    scenario_hash: line.scenario_hash,
    agent: line.agent,
    model: line.model,
    settings: agents === null ? null : JSON.stringify(agents[line.agent] ?? null),
    target: line.target_fingerprint ?? null,
  };
}
