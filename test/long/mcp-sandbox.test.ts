import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bubblewrapProblem } from '../../src/environments/bubblewrap.js';
import { ownNetworkProblem } from '../../src/environments/network.js';
import { waitUntil } from '../../src/host/process/waiting.js';
import { createProject, EMPTY_FIXTURE, openRun, REPOSITORY, scenario, type TestProject } from '../commands/project.js';

const lacking = (await bubblewrapProblem()) ?? (await ownNetworkProblem());

/** A server without dependencies, because its package would not be beside the scenario. */
const SERVER = `#!/usr/bin/env node
import { createInterface } from 'node:readline';
const tools = [{ name: 'fetch', inputSchema: { type: 'object' } }];
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools }),
  'tools/call': async () => ({ content: [{ type: 'text', text: await (await fetch(process.env.BACKEND)).text() }] }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const failed = (error) => ({ content: [{ type: 'text', text: String(error) }], isError: true });
  const result = await Promise.resolve(results[method](params)).catch(failed);
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
}
`;

describe.skipIf(lacking !== null)('in bubblewrap', () => {
  let project: TestProject;

  beforeAll(async () => {
    project = await createProject(EMPTY_FIXTURE);
    await project.write('fixtures/server.mjs', SERVER, 0o755);
  });
  afterAll(() => project.remove());

  test('a server beside the scenario starts, reaches the address that it is given, and is recorded', async () => {
    const backend = createServer((_request, response) => response.end('from the backend'));
    backend.listen(0, '127.0.0.1');
    await once(backend, 'listening');
    onTestFinished(() => void backend.close());
    const url = `http://127.0.0.1:${(backend.address() as AddressInfo).port}/`;
    await project.write(
      'fixtures/boxed.yaml',
      scenario('boxed', {
        gates: ['{type: mcp_tool_called, tool: fetch}', '{type: mcp_no_errors}'],
        steps: ['mcp: {server: boxed, tool: fetch}'],
        more: `environment: {type: bubblewrap}\nsubject: {mcp: {name: boxed, command: ./server.mjs, env: {BACKEND: "\${BACKEND_URL}"}}}`,
      }),
    );
    const { document } = await project.run(['boxed'], { BACKEND_URL: url });
    const { run, metrics, text } = await openRun(document);
    expect(metrics.details.map(({ message }) => message)).toEqual(['1 call of "fetch"', '0 errors in 1 call']);
    expect(run.outcome).toBe('pass');
    expect(await text('artifacts/events.jsonl')).toContain('from the backend');
  });

  test('a server by its address is reached by the proxy, and not by the agent itself', async () => {
    const port = join(project.folder, 'port');
    const server = spawn(process.execPath, [join(REPOSITORY, 'test/mcp/server.js'), 'http', port], {
      stdio: 'ignore',
    });
    onTestFinished(() => void server.kill());
    const address = await waitUntil(() => (existsSync(port) ? readFileSync(port, 'utf8') : '') || null, 20_000);
    await project.write(
      'fixtures/web.yaml',
      scenario('web', {
        gates: [
          '{type: mcp_tool_called, tool: echo, args: {text: a}}',
          '{type: mcp_no_errors}',
          '{type: file_contains, path: direct.txt, substring: refused}',
        ],
        steps: [
          'mcp: {server: web, tool: echo, args: {text: a}}',
          `run: "node -e \\"fetch('http://127.0.0.1:${address}/mcp').then((r) => console.log('answered'), () => console.log('refused'))\\" > direct.txt"`,
        ],
        more: `environment: {type: bubblewrap}\nsubject: {mcp: {name: web, url: "http://127.0.0.1:${address}/mcp"}}`,
      }),
    );
    const { document } = await project.run(['web']);
    const { metrics } = await openRun(document);
    expect(metrics.details.map(({ status, message }) => [status, message])).toEqual(
      metrics.details.map(({ message }) => ['pass', message]),
    );
  });
});
