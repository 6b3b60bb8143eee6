import { DefaultLogger, makeTelemetryFilterString, Runtime, type Logger } from '@temporalio/worker';
import { METRICS, type Definition, createMetrics, type Metrics } from './metrics.js';
import { once } from 'node:events';
import { createServer, isIP } from 'node:net';
import { UsageError } from '#lib';

/**
 * Sets up the SDK's runtime, once per process and before anything else of the worker. With an address, its metrics and
 * ours are served at `http://<address>/metrics`. Without one, returns undefined: nothing is measured. `failing`: types
 * of workflows whose failures are results and not worth a warning.
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
    if (message !== 'Workflow failed' || !failing.includes(String(meta?.['workflowType']))) warn(message, meta);
  };
  return logger;
}

interface MetricsAddress {
  host: string;
  port: number;
  /** In the form that the SDK reads, which knows no names. */
  text: string;
}

/** Reads `host:port`; undefined without a text. @throws UsageError */
export function readMetricsAddress(text = ''): MetricsAddress | undefined {
  if (text === '') return undefined;
  const [, name = '', digits = ''] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  const host = name === 'localhost' ? '127.0.0.1' : name.replace(/^\[(.*)\]$/, '$1');
  const port = Number(digits);
  if (isIP(host) === 0 || port < 1 || port > 65_535)
    throw new UsageError(
      'metrics_address',
      `cannot serve metrics at '${text}'; expected an IP address and a port, for example 127.0.0.1:9464 (or 0.0.0.0:9464 to let other machines read them)`,
    );
  return { host, port, text: isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}` };
}

/** Checks, before a worker starts, that it can serve metrics at this address. @throws UsageError */
export async function checkMetricsAddress(text: string | undefined): Promise<void> {
  const address = readMetricsAddress(text);
  if (address === undefined) return;
  const probe = createServer();
  try {
    probe.listen(address.port, address.host);
    await once(probe, 'listening');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw unusableAddress(address.text, code === 'EADDRINUSE' ? 'Address already in use' : message);
  }
  probe.close();
  await once(probe, 'close');
}

const unusableAddress = (address: string, reason: string): UsageError =>
  new UsageError(
    'metrics_address',
    `cannot serve metrics at ${address}: ${reason}; choose another port with --metrics or LLM_TOOL_TEST_METRICS (each worker needs one of its own)`,
  );
