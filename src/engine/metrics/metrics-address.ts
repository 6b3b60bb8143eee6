import { once } from 'node:events';
import { createServer, isIP } from 'node:net';
import { UsageError } from '#lib';

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

export const unusableAddress = (address: string, reason: string): UsageError =>
  new UsageError(
    'metrics_address',
    `cannot serve metrics at ${address}: ${reason}; choose another port with --metrics or LLM_TOOL_TEST_METRICS (each worker needs one of its own)`,
  );
