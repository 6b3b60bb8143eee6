import { isJsonObject, parseJson, type Json } from '../lib/json.js';
import type { Server, ServerEvents } from './server.js';

const METHOD_NOT_FOUND = -32_601;
const VERSION = '2025-11-25';

/** Stands in for a server that is not started: it says which tools there are. Calls do not get this far. */
export function mockedServer(name: string, tools: { [key: string]: Json }[], on: ServerEvents): Server {
  const resultOf = (method: string, params: Json | undefined): { [key: string]: Json } | null => {
    switch (method) {
      case 'initialize': {
        const protocolVersion = (isJsonObject(params) ? params['protocolVersion'] : null) ?? VERSION;
        return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name, version: 'mocked' } };
      }
      case 'tools/list':
        return { tools };
      case 'ping':
        return {};
      default:
        return null;
    }
  };
  return {
    send(line) {
      const message = parseJson(line.toString());
      for (const each of Array.isArray(message) ? message : [message]) {
        if (!isJsonObject(each) || typeof each['method'] !== 'string' || each['id'] === undefined) continue;
        const { id, method } = each;
        const result = resultOf(method, each['params']);
        const error = { code: METHOD_NOT_FOUND, message: `${method} is not mocked` };
        const answer = { jsonrpc: '2.0', id, ...(result === null ? { error } : { result }) };
        on.bytes(Buffer.from(`${JSON.stringify(answer)}\n`));
      }
    },
    close: () => Promise.resolve(),
  };
}
