export * from './pure.js';
export { withoutVersion, withVersion } from './api-address.js';
export { absolutePaths } from './commands/absolute-paths.js';
export { type CommandResult, describeEnd } from './commands/command-result.js';
export { argvOf, type Command, commandText } from './commands/command.js';
export { tooLongArgument } from './commands/longest-argument.js';
export { compareTexts } from './compare-texts.js';
export { isCronTime, isTimezone } from './cron/is-cron-time.js';
export { type CronTimes, parseCron } from './cron/parse-cron.js';
export { type DiffedLine, diffLines } from './diff-lines.js';
export { ENGINE_PROTOCOL } from './engine-protocol.js';
export { parseFailure } from './errors/parse-failure.js';
export { codeFrame, formatProblem, type Problem } from './errors/problem.js';
export { isStoreAway, StoreAway } from './errors/store-away.js';
export {
  addPathToFullDiskError,
  adviceMeanwhile,
  diskRemedy,
  isFull,
  systemFailure,
} from './errors/system-failure.js';
export { InfrastructureError, UsageError } from './errors/usage-error.js';
export { formatAbout } from './format/about.js';
export { renderTable, terminalText, textWidth, truncate } from './format/table.js';
export { wrap } from './format/wrap.js';
export { sha256 } from './hash.js';
export { inParallel } from './in-parallel.js';
export { inTurns } from './in-turns.js';
export { interpolate, referredNames, variableNames } from './interpolate.js';
export { isMap } from './is-map.js';
export { contains } from './json-contains.js';
export { LONGEST_TIMER_SECS } from './longest-timer.js';
export { isLoopback, loopbackPorts, nameServers } from './loopback.js';
export { createLruCache } from './lru-cache.js';
export { MAX_CELLS } from './max-cells.js';
export { MAX_CONCURRENCY } from './max-concurrency.js';
export { mean } from './mean.js';
export { median } from './median.js';
export { parseJudgeName, parseModelName, splitModel } from './model-name.js';
export { createMutex } from './mutex.js';
export { omit } from './omit.js';
export { type EnvFile, parseEnvFile } from './parse-env-file.js';
export { compilePattern } from './pattern.js';
export { isCount, isUsd, sumOfCounts } from './quantities.js';
export { mulberry32, randomFrom } from './random.js';
export { createBytesRedactor } from './redaction/redact-bytes.js';
export { createEncodedMask, usableSecrets } from './redaction/redact-exact.js';
export { createLineRedactor } from './redaction/redact-key-block.js';
export { maskHomes } from './redaction/redact-patterns.js';
export { createRedactor } from './redaction/redact.js';
export { FAIL_ON, type Overlap, OVERLAPS } from './schedule-policies.js';
export { schemaVersion } from './schema-version.js';
export { shortenStrings } from './shorten-strings.js';
export type { Attributes, Span, SpanEvent } from './span.js';
export { type SplitLine, splitLines } from './split-lines.js';
export { sqlProblem } from './sql/sql-problem.js';
export { suggest } from './suggest.js';
export { type Containment, CONTAINMENTS, STOP_REASONS, type StopReason } from './supervision.js';
export { workspacePathProblem } from './workspace-path.js';
export { createYielder } from './yield-to-event-loop.js';
