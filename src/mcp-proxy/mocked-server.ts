import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { LATEST_PROTOCOL_VERSION, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Json } from '../lib/json.js';

const METHOD_NOT_FOUND = -32_601;

/** Stands in for a server that is not started: it says which tools there are. Calls do not get this far. */
export function mockedServer(name: string, tools: { [key: string]: Json }[]): Transport {
  const resultOf = (method: string, params: unknown): { [key: string]: Json } | null => {
    const { protocolVersion = LATEST_PROTOCOL_VERSION } = (params ?? {}) as { protocolVersion?: string };
    switch (method) {
      case 'initialize':
        return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name, version: 'mocked' } };
      case 'tools/list':
        return { tools };
      case 'ping':
        return {};
      default:
        return null;
    }
  };
  const server: Transport = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send: (message: JSONRPCMessage) => {
      if (!('method' in message) || !('id' in message)) return Promise.resolve();
      const result = resultOf(message.method, message.params);
      const error = { code: METHOD_NOT_FOUND, message: `${message.method} is not mocked` };
      const base = { jsonrpc: '2.0', id: message.id } as const;
      server.onmessage?.(result === null ? { ...base, error } : { ...base, result });
      return Promise.resolve();
    },
  };
  return server;
}
