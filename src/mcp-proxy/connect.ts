import { setTimeout as sleep } from 'node:timers/promises';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { McpConnection } from './proxy-file.js';

/** How long a server may take to end the session. */
const GOODBYE_MS = 1000;

/** Creates the connection to a server, which `start` opens. A program ends with this process. */
export function connect(connection: McpConnection): Transport {
  if ('command' in connection) return new StdioClientTransport({ ...connection, stderr: 'inherit' });
  const { url, headers } = connection;
  const http = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  return withVersion(http);
}

/** Requests after `initialize` must name the version that the server has chosen. */
function withVersion(http: StreamableHTTPClientTransport): Transport {
  const wrapped: Transport = {
    start: () => http.start(),
    send: (message) => http.send(message),
    close: async () => {
      await Promise.race([
        http.terminateSession().catch(() => undefined),
        sleep(GOODBYE_MS, undefined, { ref: false }),
      ]);
      await http.close();
    },
  };
  http.onmessage = (message: JSONRPCMessage) => {
    const result = 'result' in message ? (message.result as { protocolVersion?: unknown }) : {};
    if (typeof result.protocolVersion === 'string') http.setProtocolVersion(result.protocolVersion);
    wrapped.onmessage?.(message);
  };
  http.onclose = () => wrapped.onclose?.();
  return wrapped;
}
