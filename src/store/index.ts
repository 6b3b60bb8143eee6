export { AUDIT, type AuditedAction, readAudit, writeAudit } from './audit.js';
export { readBaseline, writeBaseline } from './baseline-file.js';
export {
  announceClean,
  cleanIsOver,
  appendLines,
  appendResult,
  type CorruptLine,
  parseResult,
  readResults,
  rewriteResults,
} from './results-log.js';
export { mergeResults } from './merge-results.js';
export { monthOf, spentByOwner } from './owner-spending.js';
export { resultsIndex, type ResultsIndex } from './results-index.js';
export { indexLines, writeDerived } from './stored-index.js';
export { type EngineFolders, ledgerOf, originKey } from './origin.js';
export { isPaused, notePaused, beginRound, endRound, newestRound } from './sweep-round.js';
export { localLimits, type ProviderLimits, sharedLimits } from './provider-limits.js';
export { readActionLog, readEvents } from './read-events.js';
export { endsOf, readResultsFile, storedDecision, storedStatus } from './stored-decision.js';
export { sameCell, sameResult, sameScenario, sameWork } from './result-facts.js';
export {
  answerFile,
  answersFolder,
  callerFolder,
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
  opaqueId,
  stateOfRun,
  workFolder,
} from './results-folder.js';
export { createResultsReader } from './results-reader.js';
export {
  objectsOf,
  type ObjectStore,
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
export { bringEarlier, pullResults } from './shared/pull-results.js';
export { bringRuns, fetchRun, hasRun } from './shared/fetch-run.js';
export { giveUpEarlierRounds, markLost, publishResult, publishWithoutRun } from './shared/publish-result.js';
export { readHost, readHosts, removeGoneHosts, type SeenHost } from './shared/host-records.js';
export { drainObject, hostObject, parseRoundMark, planObject, ROUNDS } from './shared/names.js';
export {
  isBucket,
  isSharedPlace,
  joinSharedProject,
  requireSharedProject,
  type SharedProject,
  sharedProjectOf,
  probeStore,
} from './shared/shared-project.js';
export type { SharedStore } from './shared/shared-store.js';
export { fetchSweep, publishInputs, publishSweep } from './shared/sweep-inputs.js';
export { withWarnings } from './with-warnings.js';
