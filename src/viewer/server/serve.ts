import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import { createAdaptorServer } from '@hono/node-server';
import { packageFile } from '#host';
import { UsageError } from '#lib';
import { viewerApp } from './app.js';
import { viewEngine } from './engine.js';

/** A viewer that is being served. */
export interface Viewer {
  /** The address for the browser. Its fragment, which no browser sends to a server, has the token. */
  url: string;
  port: number;
  close(): Promise<void>;
}

interface ServeOptions {
  resultsPath: string;
  /** 0: any that is free. */
  port: number;
  /** The variables of `--env-file`, as it is now. @throws UsageError if it cannot be read */
  variables: () => NodeJS.Dict<string>;
  warn: (text: string) => void;
}

/** Serves the viewer of a results folder on 127.0.0.1. @throws UsageError if the port is taken */
export async function serveViewer({ resultsPath, port, variables, warn }: ServeOptions): Promise<Viewer> {
  const token = randomBytes(24).toString('base64url');
  const engine = viewEngine(resultsPath, warn);
  let bound = port;
  const app = viewerApp({
    resultsPath,
    engine,
    variables,
    token,
    warn,
    port: () => bound,
    pages: packageFile('dist/viewer'),
  });
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new UsageError(
      'usage',
      `cannot listen on port ${port} (${code}); choose another one with --port, or leave it out`,
    );
  }
  bound = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${bound}/#token=${token}`,
    port: bound,
    async close() {
      server.close();
      server.closeAllConnections();
      await engine.close();
    },
  };
}
