export {
  cacheHome,
  canonical,
  isMirror,
  mirrorFolder,
  folderAbove,
  nearestExisting,
  plannedHomes,
  projectState,
  sharedBefore,
  sharedFile,
  stateOfSharedProject,
  UnsafeFolder,
} from './folders.js';
export { differingFiles, treeBytes } from './fs/compare-trees.js';
export { copyBestEffort, type Mask, type SkippedEntry } from './fs/copy-best-effort.js';
export {
  assertRecentSpace,
  assertSpace,
  networkFileSystem,
  MIN_FREE_BYTES,
  PROBE_FILE,
  diskError,
} from './fs/disk-space.js';
export { fingerprint, isSettled } from './fs/fingerprint.js';
export { createBelow, findInside, readInside, restoreAccess } from './fs/open-inside.js';
export { repositoriesIn, pointerProblem } from './fs/pointers-back.js';
export { isBinary, programFiles, type ProgramFiles, realPath } from './fs/program-files.js';
export { linesOf, openFile, readBytes, readJsonIfThere, readText, readTextIfThere, tailLines } from './fs/read-file.js';
export { type SourceFile, sourceFiles, TooManyFiles } from './fs/source-files.js';
export {
  copyTree,
  createFolderOnce,
  hashTree,
  isRealFolder,
  type IsLeftOut,
  isSmallTree,
  listTree,
  removeTree,
  snapshotNothing,
  snapshotTree,
  storeOnce,
  type TreeEntry,
  UnusableTree,
} from './fs/tree.js';
export {
  linkUnlessThere,
  publishOnce,
  TEMPORARY,
  temporaryName,
  writeFileAtomic,
  writeNote,
  writeOnce,
} from './fs/write-file.js';
export { pathsInHistory } from './adapters/git-history.js';
export { forgetLeftovers, type Leftover, leftoversFile, noteLeftovers, readLeftovers } from './leftovers.js';
export {
  type AgentAnswer,
  type AgentQuestion,
  callModel,
  callWithTools,
  generateAnswer,
  type ModelMessage,
} from './models/call-model.js';
export { explainModelError, ModelFailed, type ModelFailureKind } from './models/model-errors.js';
export { addressVariables, knownProviders, missingVariables, type ModelProvider } from './models/model-providers.js';
export {
  claim,
  claimOf,
  closeOrder,
  type Ledger,
  ledgerFolder,
  localLedger,
  type Note,
  supersede,
  closedReason,
} from './security/ledger.js';
export {
  keyFile,
  type OrderFacts,
  proveOrder,
  proveRun,
  proveSchedule,
  proveSignal,
  proveSweep,
  proveTrigger,
  readOriginKey,
  readSigned,
  type ScheduleFacts,
  sign,
  verifyOrderProof,
  verifyRunProof,
  verifyScheduleProof,
  verifySignal,
  verifySweepProof,
  verifyTriggerProof,
} from './security/origin.js';
export { buildId, findPackage, packageFile, packageVersion } from './package-info.js';
export {
  createDatabase,
  dropDatabase,
  performSql,
  PostgresRefusal,
  serverOf,
  withDatabase,
} from './adapters/postgres.js';
export { runInThread } from './process/run-in-thread.js';
export { findDeno, findExecutable, findFile, isExecutable } from './process/find-deno.js';
export { ignoreOutputErrors } from './process/ignore-output-errors.js';
export { killMarked, markOf, RUN_MARK } from './process/marked-processes.js';
export { arrivalOf, readTimeline, recordTimeline, sizeOf, writtenAt } from './process/output-timeline.js';
export {
  bootId,
  identify,
  isAlive,
  ownIdentity,
  type ProcessIdentity,
  signalProcess,
} from './process/process-identity.js';
export { type Lock, lockHolder, tryLock, waitForLock } from './process/process-lock.js';
export { detectVersion, firstLine, OUTPUT_CAP, runCommand } from './process/run-command.js';
export { spawnDetached } from './process/spawn-detached.js';
export {
  containment,
  GRACE_SECS,
  idleTickOf,
  inspect,
  killSupervisor,
  readExit,
  startSupervised,
  stopSupervised,
  supervisedFiles,
  supervisorErrors,
  supervisorScript,
  waitForEnd,
} from './process/supervise.js';
export { everySecond, waitUntil } from './process/waiting.js';
export { createMemory, type Memory, remembered } from './remembered.js';
export { displayPath, invocation, ownCommand, shortestPath } from './shown.js';
export {
  NO_PUBLIC_VALUES,
  type PublicValues,
  publicVariables,
  readSweepEnv,
  removeSweepEnv,
  replaceValues,
  secretsIn,
  SweepEnv,
  sweepEnvFile,
  sweepEnvFrom,
  writeSweepEnv,
} from './security/sweep-env.js';
export { EnvFileProblem, loadEnvFile, type ReadEnvironment, workerEnvironment } from './worker-environment.js';
