import type { RunInputs } from '../../../src/decide/comparison/changes.js';
import type { SweepToCompare } from '../../../src/decide/comparison/compare-sweeps.js';
import type { Sample } from '../../../src/decide/comparison/arms.js';
import { resultLine } from '../../store/sample.js';

export const runInputs = (change: Partial<RunInputs> = {}): RunInputs => ({
  agent_version: '1.0',
  model_used: 'm1',
  environment: 'local',
  target: 'aaaa',
  health_check: null,
  ...change,
});

/**
 * The outcomes of the repetitions of each scenario: p pass, f fail, e error, c cancelled, `.` none yet; P and F: pass
 * and fail in a run after one that ended with an error.
 */
export type Outcomes = Record<string, string>;

const OUTCOMES = { p: 'pass', f: 'fail', e: 'error', c: 'cancelled', P: 'pass', F: 'fail' } as const;

/** A sweep of the agent mock with these outcomes; runs are named `<sweep>-<scenario>-<repetition>`. */
export function sweepOf(
  sweep: string,
  outcomes: Outcomes,
  change: (scenario: string, repetition: number) => Partial<Sample> = () => ({}),
  more: Partial<SweepToCompare> = {},
): SweepToCompare {
  const all = Object.entries(outcomes).flatMap(([scenario, letters]) =>
    Array.from(letters).map((letter, at) => {
      const shared = { agent: 'mock', model: 'default', variant: 'default', repetition: at + 1 };
      const cell = { id: `${scenario}/mock/default/default/${at + 1}`, scenario, ...shared };
      const id = `${sweep}-${scenario}-${at + 1}`;
      const line = resultLine({
        id,
        sweep,
        cell: cell.id,
        scenario_id: scenario,
        results_dir: id,
        ...shared,
        ...(letter === '.' ? {} : { outcome: OUTCOMES[letter as keyof typeof OUTCOMES] }),
        ...change(scenario, at + 1),
      });
      const error = { ...line, id: `${id}-error`, outcome: 'error' as const };
      return { cell, line: letter === '.' ? [] : 'PF'.includes(letter) ? [error, line] : [line] };
    }),
  );
  const lines = all.flatMap(({ line }) => line);
  return {
    sweep,
    variant: null,
    started: '2026-01-01T00:00:00.000Z',
    status: 'completed',
    cells: all.map(({ cell }) => cell),
    combinations: [],
    lines,
    scenarios: new Map(Object.keys(outcomes).map((name) => [name, { scenario: { name } }])),
    agents: {},
    prices: {},
    runInputs: new Map(lines.map(({ results_dir }) => [results_dir ?? '', runInputs()])),
    ...more,
  };
}
