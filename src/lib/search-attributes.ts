/** Shown and searchable in Temporal's UI, with their types there; specs/reference/results.md says what each holds. */
export const SEARCH_ATTRIBUTES = {
  SweepId: 'KEYWORD',
  Scenario: 'KEYWORD',
  Agent: 'KEYWORD',
  Model: 'KEYWORD',
  Outcome: 'KEYWORD',
  CostUsd: 'DOUBLE',
  Rep: 'INT',
} as const;
