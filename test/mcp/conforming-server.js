// A server with what the conformance suite of the protocol asks of one, in the versions until 2025-11-25 and in
// 2026-07-28: `node conforming-server.js` speaks stdio; tests reach it by `openServer`, too.
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { NAMES, prompt, PROMPTS, read, RESOURCES, RpcError, TOOLS, tools } from './conforming-tools.js';

const NEWER = '2026-07-28';

/** @typedef {import('./conforming-tools.js').Any} Any */
/** @typedef {import('./conforming-tools.js').Call} Call */

const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true },
  logging: {},
  completions: {},
};

/** The answers to methods that all versions have. @type {Record<string, (call: Call) => Any | Promise<Any>>} */
const METHODS = {
  'tools/list': () => ({ tools }),
  'tools/call': (call) => {
    const tool = TOOLS[call.params['name']];
    if (tool === undefined) throw new RpcError(-32602, `there is no tool ${call.params['name']}`);
    return tool(call);
  },
  'resources/list': () => ({ resources: RESOURCES }),
  'resources/templates/list': () => ({
    resourceTemplates: [
      {
        uriTemplate: 'test://template/{id}/data',
        name: 'template',
        description: 'By id.',
        mimeType: 'application/json',
      },
    ],
  }),
  'resources/read': ({ params }) => ({ contents: [read(params['uri'])] }),
  'prompts/list': () => ({ prompts: PROMPTS }),
  'prompts/get': prompt,
  'completion/complete': () => ({ completion: { values: ['paris', 'park'], total: 2, hasMore: false } }),
};
/** @type {typeof METHODS} */
const OLDER_METHODS = {
  initialize: ({ params }) => ({
    protocolVersion: params['protocolVersion'] < NEWER ? params['protocolVersion'] : '2025-11-25',
    capabilities,
    serverInfo: { name: 'conforming', version: '1' },
  }),
  ping: () => ({}),
  'logging/setLevel': () => ({}),
  'resources/subscribe': () => ({}),
  'resources/unsubscribe': () => ({}),
  ...METHODS,
};
/** @type {typeof METHODS} */
const NEWER_METHODS = {
  'server/discover': () => ({ supportedVersions: [NEWER], capabilities }),
  ...METHODS,
};
const CACHED = [
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
];

/** Opens a connection. `tell` is given the messages of the server. Returns what takes those of the client. */
export function openServer(/** @type {(message: Any) => void} */ tell) {
  /** @type {Map<unknown, (result: Any) => void>} */
  const asked = new Map();
  /** @type {Any[]} */
  const listening = [];
  let count = 0;
  const notify = (/** @type {string} */ method, /** @type {Any} */ params) => tell({ jsonrpc: '2.0', method, params });

  async function answer(/** @type {Any} */ { id, method, params = {} }) {
    const meta = params['_meta'] ?? {};
    const version = meta[`${NAMES}/protocolVersion`];
    const isNewer =
      version !== undefined || meta[`${NAMES}/clientCapabilities`] !== undefined || method === 'server/discover';
    if (isNewer && (version === undefined || meta[`${NAMES}/clientCapabilities`] === undefined))
      throw new RpcError(-32602, 'the version or the capabilities are missing in _meta');
    if (isNewer && version !== NEWER)
      throw new RpcError(-32022, 'Unsupported protocol version', { supported: [NEWER], requested: version });
    if (isNewer && method === 'subscriptions/listen') {
      const subscription = { [`${NAMES}/subscriptionId`]: id };
      listening.push({ subscription, ...params['notifications'] });
      notify('notifications/subscriptions/acknowledged', {
        _meta: subscription,
        notifications: params['notifications'],
      });
      return null;
    }
    const methods = isNewer ? NEWER_METHODS : OLDER_METHODS;
    const found = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (found === undefined) throw new RpcError(-32601, 'Method not found');
    const ask = (/** @type {string} */ name, /** @type {Any} */ asks) =>
      new Promise((resolve) => {
        const own = `s${++count}`;
        asked.set(own, resolve);
        tell({ jsonrpc: '2.0', id: own, method: name, params: asks });
      });
    const result = await found({ params, args: params['arguments'] ?? {}, meta, ask, notify });
    const cached = CACHED.includes(method) ? { ttlMs: 1000, cacheScope: 'private' } : {};
    return isNewer ? { resultType: 'complete', ...cached, ...result } : result;
  }

  return (/** @type {Any} */ message) => {
    if (message['method'] === undefined) asked.get(message['id'])?.(message['result'] ?? {});
    else if (message['id'] !== undefined)
      answer(message).then(
        (result) => result !== null && tell({ jsonrpc: '2.0', id: message['id'], result }),
        ({ code = -32603, message: words, data }) =>
          tell({ jsonrpc: '2.0', id: message['id'], error: { code, message: words, data } }),
      );
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const take = openServer((message) => process.stdout.write(`${JSON.stringify(message)}\n`));
  createInterface({ input: process.stdin }).on('line', (line) => take(JSON.parse(line)));
}
