import { DefaultLogger, makeTelemetryFilterString, Runtime, type Logger } from '@temporalio/worker';
import { METRICS, type Definition } from './definitions.js';
import { readMetricsAddress, unusableAddress } from './metrics-address.js';
import { createMetrics, type Metrics } from './metrics.js';

/**
 * Sets up the SDK's runtime, once per process and before anything else of the worker. With an address, its metrics and ours are
 * served at `http://<address>/metrics`. Without one, returns undefined: nothing is measured. `failing`: types of workflows
 * whose failures are results and not worth a warning.
 *
 * @throws UsageError if nothing can be served at the address
 */
export function installRuntime(address: string | undefined, failing: readonly string[]): Metrics | undefined {
  const bindAddress = readMetricsAddress(address)?.text;
  // The SDK's native part colors what it prints, also in a log file.
  if (!process.stdout.isTTY) process.env['NO_COLOR'] = '1';
  try {
    Runtime.install({
      logger: createLogger(failing),
      telemetryOptions: {
        // If the native part forwarded its logs to the logger, the SDK would sort all logs, down to TRACE, before the
        // logger drops them: a tenth of the worker's CPU.
        logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), console: {} },
        ...(bindAddress === undefined ? {} : { metrics: { prometheus: { bindAddress, ...NAMING } } }),
      },
    });
  } catch (error) {
    const { message } = error as Error;
    if (bindAddress === undefined || !message.includes('prometheus')) throw error;
    throw unusableAddress(bindAddress, message.replace(/^.*exporter: /, '').replace(/ \(os error \d+\)/, ''));
  }
  return bindAddress === undefined ? undefined : createMetrics(Runtime.instance().metricMeter);
}

/** Makes all names follow the conventions of Prometheus. */
const NAMING = {
  countersTotalSuffix: true,
  unitSuffix: true,
  useSecondsForDurations: true,
  histogramBucketOverrides: Object.fromEntries(
    Object.values<Definition>(METRICS).flatMap(({ name, buckets }) =>
      buckets === undefined ? [] : [[name, [...buckets]]],
    ),
  ),
};

/** Drops the SDK's warnings about failures of workflows of these types. */
function createLogger(failing: readonly string[]): Logger {
  const logger = new DefaultLogger('WARN');
  const warn = logger.warn.bind(logger);
  logger.warn = (message, meta) => {
    if (message !== 'Workflow failed' || !failing.includes(String(meta?.['workflowType'])))
      warn(message, meta);
  };
  return logger;
}
