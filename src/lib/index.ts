export * from './pure.js';
export { isLoopback, loopbackPorts, nameServers, withoutVersion, withVersion } from './addresses.js';
export { allDone } from './all-done.js';
export { absolutePaths } from './commands/absolute-paths.js';
export {
  argvOf,
  type Command,
  type CommandResult,
  commandText,
  describeEnd,
  tooLongArgument,
} from './commands/command.js';
export { createMutex, createYielder, inParallel } from './concurrency.js';
export { type CronTimes, isCronTime, isTimezone, parseCron } from './cron.js';
export { type DiffedLine, diffLines } from './diff-lines.js';
export { ENGINE_PROTOCOL } from './engine-protocol.js';
export { codeFrame, fileProblem, formatProblem, type Problem } from './errors/problem.js';
export { addPathToFullDiskError, adviceMeanwhile, diskRemedy, isFull, systemFailure } from './errors/system-failure.js';
export { InfrastructureError, isStoreAway, StoreAway, UsageError } from './errors/usage-error.js';
export { formatAbout } from './format/amounts.js';
export { renderTable, terminalText, textWidth, truncate, wrap } from './format/table.js';
export { sha256 } from './hash.js';
export { interpolate, referredNames, variableNames } from './interpolate.js';
export { contains, isMap, jsonPieces, omit, shortenStrings } from './json.js';
export { LONGEST_TIMER_SECS, MAX_CELLS, MAX_CONCURRENCY } from './limits.js';
export { compareTexts, inTurns } from './lists.js';
export { createLruCache } from './lru-cache.js';
export { parseJudgeName, parseModelName, splitModel } from './model-name.js';
export { type EnvFile, parseEnvFile } from './parse-env-file.js';
export { compilePattern } from './pattern.js';
export { isCount, isUsd, mean, median, sumOfCounts } from './quantities.js';
export { mulberry32, randomFrom } from './random.js';
export { createBytesRedactor } from './redaction/redact-bytes.js';
export { createEncodedMask, usableSecrets } from './redaction/redact-exact.js';
export { createLineRedactor } from './redaction/redact-key-block.js';
export { maskHomes } from './redaction/redact-patterns.js';
export { createRedactor } from './redaction/redact.js';
export { parseFailure, schemaVersion } from './schema-version.js';
export type { Attributes, Span, SpanEvent } from './span.js';
export { type SplitLine, splitLines } from './split-lines.js';
export { sqlProblem } from './sql.js';
export { suggest } from './suggest.js';
export { type Containment, CONTAINMENTS, STOP_REASONS, type StopReason } from './supervision.js';
export { workspacePathProblem } from './workspace-path.js';
