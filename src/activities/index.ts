export { type Activities, createActivities, otherActivities } from './create-activities.js';
export { createHostWorkers } from './hosts/host-workers.js';
export { createHosting } from './hosts/hosting.js';
export type { Deps } from './step/deps.js';
export { type Tried, tryAgent } from './try-agent.js';
export { whileUnderWay } from './watch/fail-orphaned-activities.js';
export { type Watch, watchRuns } from './watch/watch-runs.js';
