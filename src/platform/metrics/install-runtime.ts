import { isIP } from 'node:net';
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { UsageError } from '../../lib/errors/usage-error.js';
import { METRICS, type Definition } from './definitions.js';
import { createMetrics, type Metrics } from './metrics.js';

/**
 * Sets up the SDK's runtime, once per process and before anything else of the worker. With an address, its metrics and ours are
 * served at `http://<address>/metrics`. Without one, returns undefined: nothing is measured.
 *
 * @throws UsageError if nothing can be served at the address
 */
export function installRuntime(address?: string): Metrics | undefined {
  const bindAddress = address === undefined || address === '' ? undefined : readAddress(address);
  // The SDK's native part colors what it prints, also in a log file.
  if (!process.stdout.isTTY) process.env['NO_COLOR'] = '1';
  try {
    Runtime.install({
      logger: new DefaultLogger('WARN'),
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
    throw unusable(bindAddress, message.replace(/^.*exporter: /, '').replace(/ \(os error \d+\)/, ''));
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

/** Returns the address in the form that the SDK reads, which knows no names. */
function readAddress(text: string): string {
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  const address = host === 'localhost' ? '127.0.0.1' : host.replace(/^\[(.*)\]$/, '$1');
  const number = Number(port);
  if (isIP(address) === 0 || number < 1 || number > 65_535)
    throw new UsageError(
      'metrics_address',
      `cannot serve metrics at '${text}'; expected an IP address and a port, for example 127.0.0.1:9464 (or 0.0.0.0:9464 to let other machines read them)`,
    );
  return isIP(address) === 6 ? `[${address}]:${number}` : `${address}:${number}`;
}

const unusable = (address: string, reason: string): UsageError =>
  new UsageError(
    'metrics_address',
    `cannot serve metrics at ${address}: ${reason}; choose another port with --metrics or LLM_TOOL_TEST_METRICS (each worker needs its own)`,
  );
