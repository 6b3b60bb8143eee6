/** What is published from the mirror of a shared project, and brought into it. */
export { bringEarlier } from './bring-earlier.js';
export { endSharedRound } from './end-round.js';
export { bringRuns, fetchRecord, fetchRun, hasRun } from './fetch-run.js';
export { giveUpEarlierRounds } from './give-up.js';
export type { RunName } from './names.js';
export { markLost, publishResult, publishWithoutRun, type Published } from './publish-result.js';
export { pullResults } from './pull-results.js';
export { fetchSweep, publishSweep } from './sweep-inputs.js';
