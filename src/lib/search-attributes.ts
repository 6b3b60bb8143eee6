/** Search attributes in Temporal, by their types there. specs/reference/results.md describes the value of each. */
export const SEARCH_ATTRIBUTES = {
  SweepId: 'KEYWORD',
  Scenario: 'KEYWORD',
  Agent: 'KEYWORD',
  Model: 'KEYWORD',
  Variant: 'KEYWORD',
  Outcome: 'KEYWORD',
  CostUsd: 'DOUBLE',
  Rep: 'INT',
} as const;
