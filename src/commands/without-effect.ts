import type { SelectedScenario } from './select-scenarios.js';

/** Settings that are read and checked, and that nothing acts on yet: said, so that nobody relies on them. */
export function withoutEffect(selected: readonly SelectedScenario[]): string[] {
  const some = (what: string, is: boolean): string[] => (is ? [`${what} has no effect in this version`] : []);
  return [
    ...some(
      'evaluation.judge',
      selected.some(({ scenario }) => scenario.evaluation.judge?.enabled === true),
    ),
  ];
}
