export { checkCodecKeys } from './check-codec-keys.js';
export { CODEC_KEYS, readCodecKeys, settleCodecKeys } from './codec/codec-keys.js';
export { codecServer, secretPath } from './codec/codec-server.js';
export { workerPayloads } from './codec/worker-payloads.js';
export { killProcess } from './end-process.js';
export {
  type EngineState,
  type HostSettings,
  openRunsFolder,
  type ProjectServer,
  readEngineState,
  scheduledHere,
  schedulesFolder,
  serverIsUp,
  taskQueueOf,
  workerAliveFile,
  workerIsUp,
  workerReadyFile,
} from './engine-state.js';
export { EngineUnavailable, ensureEngine, markUsed, stopEngine } from './ensure-engine.js';
export { lookForTemporal, TEMPORAL_CLI_VERSION, temporalVersion } from './find-temporal.js';
export { keep } from './keeper.js';
export { installRuntime } from './metrics/install-runtime.js';
export { checkMetricsAddress, readMetricsAddress } from './metrics/metrics-address.js';
export type { MeasuredRun, Metrics, StepEnd, Waiting } from './metrics/metrics.js';
export { anyFreePort, isFree } from './server.js';
export { checkVersioning } from './temporal/check-versioning.js';
export { connectionOptions, loadTemporalConfig } from './temporal/connection-options.js';
export { connectionProblem } from './temporal/connection-problem.js';
export { messageOf, valuesOf } from './temporal/decode.js';
export { namespaceId } from './temporal/namespace-id.js';
export { resolveTemporalAddress } from './temporal/resolve-temporal-address.js';
export { namespaceProblem, UnusableNamespace } from './temporal/search-attributes.js';
export type { TemporalAddress } from './temporal/temporal-address.js';
export { assertNamespace, connect, prepareNamespace, withClient } from './temporal/temporal-client.js';
export { terminate } from './temporal/terminate.js';
export { untilCredentialsChange } from './temporal/watch-credentials.js';
export { isDeadWorker, ownWorkerIdentity } from './temporal/worker-identity.js';
export type { Traces } from './traces/create-traces.js';
export { tracesOf } from './traces/traces-of.js';
