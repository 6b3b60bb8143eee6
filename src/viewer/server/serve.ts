import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { packageFile } from '#host';
import { UsageError } from '#lib';
import { viewerApp } from './app.js';
import { viewEngine } from './engine.js';
import { keepLink, permanentLink } from './permanent-link.js';

/** A viewer that is being served. */
export interface Viewer {
  /** The address for the browser. Its fragment, which no browser sends to a server, has the token. */
  url: string;
  port: number;
  close(): Promise<void>;
}

interface ServeOptions {
  resultsPath: string;
  /** 0: the one of the last time, or any that is free. */
  port: number;
  /** Origin under which a proxy on this machine serves the viewer; null if none does. */
  origin: string | null;
  /** True: links of before become invalid. */
  newLink: boolean;
  /** The variables of `--env-file`, as it is now. @throws UsageError if it cannot be read */
  variables: () => NodeJS.Dict<string>;
  warn: (text: string) => void;
}

/** Serves the viewer of a results folder on 127.0.0.1. @throws UsageError if the port is taken */
export async function serveViewer({
  resultsPath,
  port,
  origin,
  newLink,
  variables,
  warn,
}: ServeOptions): Promise<Viewer> {
  const link = await permanentLink(resultsPath, newLink);
  const engine = viewEngine(resultsPath, warn);
  let bound = 0;
  const app = viewerApp({
    resultsPath,
    engine,
    variables,
    token: link.token,
    warn,
    port: () => bound,
    origin,
    pages: packageFile('dist/viewer'),
  });
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  bound = await listen(server, port === 0 ? link.port : port).catch((error: unknown) => {
    if (port !== 0) throw portTaken(port, error);
    warn(`port ${link.port} of the last time is taken (is the viewer open already?), so links with it lead elsewhere`);
    return listen(server, null);
  });
  // A port that was asked for is for this time, and so is one in place of a port that is taken.
  const kept = { ...link, port: port === 0 ? (link.port ?? bound) : link.port };
  await keepLink(resultsPath, kept).catch((error: unknown) => {
    warn(`this address will not stay the same: ${(error as Error).message}`);
  });
  return {
    url: `${origin ?? `http://127.0.0.1:${bound}`}/#token=${link.token}`,
    port: bound,
    async close() {
      server.close();
      server.closeAllConnections();
      await engine.close();
    },
  };
}

/** Listens on a port, or on any that is free, and returns it. @throws if it is taken */
async function listen(server: Server, port: number | null): Promise<number> {
  server.listen(port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function portTaken(port: number, error: unknown): UsageError {
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  return new UsageError(
    'usage',
    `cannot listen on port ${port} (${code}); choose another one with --port, or leave it out`,
  );
}
