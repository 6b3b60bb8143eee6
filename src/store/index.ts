export { readBaseline, writeBaseline } from './baseline-file.js';
export { announceClean, cleanIsOver } from './clean-lock.js';
export { writeDerived } from './derived-file.js';
export { type EngineFolders, ledgerOf, originKey } from './origin.js';
export { isPaused, notePaused } from './paused-sweep.js';
export { localLimits, type ProviderLimits, sharedLimits } from './provider-limits.js';
export { readActionLog, readEvents } from './read-events.js';
export { readResultsFile } from './read-results-file.js';
export { sameCell, sameResult, sameScenario, sameWork } from './result-facts.js';
export {
  answerFile,
  askedFolder,
  askerFolder,
  checksFolder,
  cleanFolder,
  fixtureFolder,
  pausedFile,
  planFile,
  resultsLog,
  RUN_PARTS,
  runFiles,
  type RunFiles,
  scenarioFile,
  storeFolder,
  summaryFile,
  SWEEP_PARTS,
  sweepsFolder,
} from './results-folder.js';
export { resultsIndex, type ResultsIndex } from './results-index.js';
export { appendResult, type CorruptLine, parseResult, readResults } from './results-log.js';
export { createResultsReader } from './results-reader.js';
export { rewriteResults } from './rewrite-results.js';
export { opaqueId, stateOfRun, workFolder } from './run-state.js';
export { objectsOf, type ObjectStore } from './schedules/object-store.js';
export {
  beginFiring,
  firingsFrom,
  junitObject,
  latestFiring,
  readFiring,
  readReference,
  removeSettings,
  removeUsedTriggers,
  replacedText,
  scheduleNames,
  SCHEDULES,
  scheduleText,
  storeSettings,
  triggersFolder,
  USED,
  writeFiring,
  writeReference,
} from './schedules/schedule-files.js';
export { bringEarlier } from './shared/bring-earlier.js';
export { bringRuns, fetchRun, hasRun } from './shared/fetch-run.js';
export { giveUpEarlierRounds } from './shared/give-up.js';
export { readHost, readHosts, removeGoneHosts } from './shared/host-records.js';
export { drainObject, hostObject, parseRoundMark, planObject, ROUNDS } from './shared/names.js';
export { isBucket } from './shared/open-shared-store.js';
export { probeStore } from './shared/probe-store.js';
export { markLost, publishResult, publishWithoutRun } from './shared/publish-result.js';
export { pullResults } from './shared/pull-results.js';
export {
  isSharedPlace,
  joinSharedProject,
  requireSharedProject,
  type SharedProject,
  sharedProjectOf,
} from './shared/shared-project.js';
export type { SharedStore } from './shared/shared-store.js';
export { fetchSweep, publishInputs, publishSweep } from './shared/sweep-inputs.js';
export { storedDecision } from './stored-decision.js';
export { beginRound, endRound, newestRound } from './sweep-round.js';
export { withWarnings } from './with-warnings.js';
