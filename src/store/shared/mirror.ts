/** What is published from the mirror of a shared project, and brought into it. */
export { bringEarlier } from './bring-earlier.js';
export { endSharedRound } from './end-round.js';
export { bringRuns, fetchRun, hasRun } from './fetch-run.js';
export { giveUpEarlierRounds } from './give-up.js';
export { markLost, publishResult, publishWithoutRun } from './publish-result.js';
export { pullResults } from './pull-results.js';
export { fetchSweep, publishInputs, publishSweep } from './sweep-inputs.js';
