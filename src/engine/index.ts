export { checkCodecKeys, CODEC_KEYS, readCodecKeys, settleCodecKeys } from './codec/codec-keys.js';
export { codecServer, secretPath } from './codec/codec-server.js';
export { workerPayloads } from './codec/worker-payloads.js';
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
export { beginEngine, EngineUnavailable, ensureEngine, markUsed, stopEngine } from './ensure-engine.js';
export { lookForTemporal, TEMPORAL_CLI_VERSION, temporalVersion } from './find-temporal.js';
export { keep } from './keeper.js';
export { checkMetricsAddress, installRuntime, readMetricsAddress } from './metrics/install-runtime.js';
export type { MeasuredRun, Metrics, StepEnd, Waiting } from './metrics/metrics.js';
export { anyFreePort, isFree, killProcess } from './server.js';
export {
  connectionOptions,
  loadTemporalConfig,
  resolveTemporalAddress,
  type TemporalAddress,
} from './temporal/connection-options.js';
export { connectionProblem, UnusableNamespace } from './temporal/connection-problem.js';
export { failureMessage, valuesOf } from './temporal/decode.js';
export { namespaceProblem } from './temporal/search-attributes.js';
export {
  assertNamespace,
  checkVersioning,
  connect,
  namespaceId,
  prepareNamespace,
  terminate,
  withClient,
} from './temporal/temporal-client.js';
export { untilCredentialsChange } from './temporal/watch-credentials.js';
export { isDeadWorker, ownWorkerIdentity } from './temporal/worker-identity.js';
export type { Traces } from './traces/create-traces.js';
export { tracesOf } from './traces/traces-of.js';
export { fairnessKey } from './fairness-key.js';
