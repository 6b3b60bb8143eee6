/** A metric of ours. Names and labels are public: dashboards and alerts use them (specs/how-to/monitoring.md). */
export interface Definition {
  kind: 'counter' | 'gauge' | 'histogram';
  /** Its name in Prometheus. */
  name: string;
  help: string;
  labels: readonly string[];
  /** Upper bounds of a histogram's buckets. */
  buckets?: readonly number[];
}

// No metric has the scenario, variant or sweep as a label: their number grows with every sweep, and each value would be
// a time series of its own. Agents, models and providers are few. Reports and search attributes have the rest.
export const METRICS = {
  cells: {
    kind: 'counter',
    name: 'llm_tool_test_cells_total',
    help: 'Cells that got a result; reused: taken from an earlier run',
    labels: ['agent', 'model', 'outcome', 'reused'],
  },
  spend: {
    kind: 'counter',
    name: 'llm_tool_test_spend_microdollars_total',
    help: 'Millionths of a US dollar that runs have spent, as far as their costs are known',
    labels: ['agent', 'model'],
  },
  cost: {
    kind: 'histogram',
    name: 'llm_tool_test_cell_cost_usd',
    help: 'US dollars that a run has spent; runs of which nothing is known are not counted',
    labels: ['agent', 'model'],
    buckets: [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25],
  },
  agents: {
    kind: 'gauge',
    name: 'llm_tool_test_agents_running',
    help: 'Agents that work now',
    labels: ['agent', 'model'],
  },
  steps: {
    kind: 'histogram',
    name: 'llm_tool_test_step_duration_seconds',
    help: 'Attempts of steps; result: done, failed, waiting (for a disk or a provider), or stopped (cancelled, or the worker ended)',
    labels: ['step', 'result'],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600],
  },
  openRuns: {
    kind: 'gauge',
    name: 'llm_tool_test_open_runs',
    help: 'Runs that this host has begun and not yet finished',
    labels: [],
  },
  waiting: {
    kind: 'gauge',
    name: 'llm_tool_test_runs_waiting',
    help: 'Open runs that wait for their provider; why: limit (a limit of the account) or busy',
    labels: ['agent', 'model', 'why'],
  },
  waits: {
    kind: 'counter',
    name: 'llm_tool_test_provider_waits_total',
    help: 'How often a run began to wait for its provider',
    labels: ['agent', 'model', 'why'],
  },
  limits: {
    kind: 'gauge',
    name: 'llm_tool_test_provider_limit_end_timestamp_seconds',
    help: "Unix time at which the last known limit of a provider's accounts ends; 0 if no run waits for one",
    labels: ['provider'],
  },
  slots: {
    kind: 'gauge',
    name: 'llm_tool_test_slots',
    help: 'Slots of this host',
    labels: [],
  },
  freeSlots: {
    kind: 'gauge',
    name: 'llm_tool_test_slots_free',
    help: 'Slots of this host without a run',
    labels: [],
  },
  build: {
    kind: 'gauge',
    name: 'llm_tool_test_build_info',
    help: 'Always 1; version and build of the worker',
    labels: ['version', 'build'],
  },
} as const satisfies Record<string, Definition>;
