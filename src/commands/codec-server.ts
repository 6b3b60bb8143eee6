import { once } from 'node:events';
import { CODEC_KEYS, codecServer, readCodecKeys, secretPath } from '#engine';
import { UsageError } from '#lib';
import { printNotice } from './shared/output.js';

interface CodecServerOptions {
  port: number;
  origin: string[];
}

/** `codec-server`: serves the endpoint until a signal ends it. */
export async function serve({ port, origin }: CodecServerOptions): Promise<number> {
  const keys = readCodecKeys();
  const [first] = keys;
  if (first === undefined)
    throw new UsageError('codec_keys', `set ${CODEC_KEYS} to the file with the keys of the payloads`);
  const path = secretPath(first);
  const server = codecServer({ keys, path, origins: origin.map(originOf) });
  const ended = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch (error) {
    throw new UsageError(
      'usage',
      `cannot listen on port ${port} (${(error as NodeJS.ErrnoException).code ?? String(error)}); choose another one with --port`,
    );
  }
  printNotice(
    "enter this address as the codec server in the Web UI's settings, or pass it to temporal with --codec-endpoint; whoever knows it can decrypt payloads on this machine",
  );
  process.stdout.write(`http://127.0.0.1:${port}${path}\n`);
  await ended;
  server.close();
  server.closeAllConnections();
  return 0;
}

/** The form in which browsers send an origin. */
function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.origin === 'null')
    throw new UsageError(
      'usage',
      `--origin ${text}: expected the address of a Web UI, such as https://cloud.temporal.io`,
    );
  return url.origin;
}
