import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { identify } from '../../src/host/process/process-identity.js';
import { waitUntil } from '../../src/host/process/waiting.js';
import { privateCopy } from './private-copy.js';

/** A server that answers each request with the lines that `answers` returns. */
const server = (answers: string): string => `
  const result = (id: number, definition: string) =>
    JSON.stringify({ jsonrpc: '2.0', id, result: { content: [], structuredContent: { definition } } });
  const print = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(text));
  const answers = (request: any): string => { ${answers} };
  for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    for (const line of chunk.split('\\n').filter(Boolean)) print(answers(JSON.parse(line)));
  }`;

describe('define-word understands an MCP server', () => {
  const defined = async (code: string, ...words: string[]) => {
    const copy = await privateCopy();
    await copy.write('.agents/scripts/define-word/server.ts', code);
    return (await copy.script('define-word', 'gate', ...words)).document;
  };
  const definition = (text: string): unknown => ({ success: true, data: { word: 'gate', definition: text } });

  test('that prints between its messages and sends progress notifications', async () => {
    const code = server(`
      if (request.id === undefined) return '';
      return 'starting...\\n\\n{"method":"notifications/progress"}\\n' + result(99, 'another') + '\\n' + result(request.id, 'x') + '\\n';`);
    expect(await defined(code)).toEqual(definition('x'));
  });

  test('that sends a long message in pieces', async () => {
    const code = server(`
      if (request.id === undefined) return '';
      const text = new TextEncoder().encode(result(request.id, 'é'.repeat(300_000)) + '\\n');
      for (let at = 0; at < text.length; at += 4097) Deno.stdout.writeSync(text.subarray(at, at + 4097));
      return '';`);
    expect(await defined(code)).toEqual(definition('é'.repeat(300_000)));
  });

  test('that first sends requests to its client, which refuses unknown ones', async () => {
    const code = server(`
      if (request.method === 'tools/call') {
        call = request.id;
        return '{"jsonrpc":"2.0","id":"a","method":"ping"}\\n{"jsonrpc":"2.0","id":"b","method":"roots/list"}\\n';
      }
      if (request.id === 'a') ping = JSON.stringify(request.result);
      if (request.id === 'b') return result(call, ping + request.error.code) + '\\n';
      return request.method === 'initialize' ? result(request.id, '') + '\\n' : '';`);
    expect(await defined(`let call: number, ping: string; ${code}`)).toEqual(definition('{}-32601'));
  });

  test('that does not end by itself: it is killed', async () => {
    const code = `${server(`return request.id === undefined ? '' : result(request.id, String(Deno.pid)) + '\\n';`)}
      setInterval(() => {}, 1000);`;
    const { data } = (await defined(code)) as { data: { definition: string } };
    const gone = await waitUntil(() => (identify(Number(data.definition)) === null ? true : null), 30_000, 10);
    expect(gone).toBe(true);
  });

  test('that hangs: it is killed, and the error gives the time waited', async () => {
    expect(await defined('setInterval(() => {}, 1000)', '--timeout-secs', '0.5')).toMatchObject({
      error: expect.stringContaining('0.5 s') as string,
    });
  });

  test('that dies: the error contains its last output', async () => {
    expect(await defined(`console.error('no words today'); Deno.exit(4)`)).toMatchObject({
      code: 'MCP_UNAVAILABLE',
      error: expect.stringContaining('no words today') as string,
    });
  });

  test.each([
    ['an error', `'error":{"code":-32602,"message":"no such tool"}}'`, 'no such tool'],
    ['neither result nor error', `'x":1}'`, 'neither'],
    ['no definition', `'result":{"structuredContent":{"definition":7}}}'`, 'no definition'],
  ])('that answers with %s', async (_, rest, message) => {
    const code = server(`
      if (request.id === undefined) return '';
      return request.method === 'initialize'
        ? result(request.id, '') + '\\n' : '{"jsonrpc":"2.0","id":' + request.id + ',"' + ${rest} + '\\n';`);
    expect(await defined(code)).toMatchObject({
      code: 'MCP_ERROR',
      error: expect.stringContaining(message) as string,
    });
  });
});

describe('open-workflows understands an HTTP server', () => {
  const answer = async (listener: RequestListener, ...words: string[]) => {
    const http = createServer(listener).listen(0, '127.0.0.1');
    onTestFinished(() => void http.close());
    await once(http, 'listening');
    const { port } = http.address() as AddressInfo;
    const { script } = await privateCopy();
    const { document } = await script('open-workflows', '--address', `http://127.0.0.1:${port}`, ...words);
    http.closeAllConnections();
    return document;
  };
  const workflow = (id: number): object => ({
    execution: { workflowId: `w${id}`, runId: `r${id}` },
    type: { name: 'runSweep' },
    taskQueue: 'q',
    startTime: '2026-01-02T03:04:05Z',
  });

  test('which has more than the limit: it is asked for one more, and only for open ones', async () => {
    const urls: URL[] = [];
    const document = await answer(
      ({ url = '' }, response) => {
        urls.push(new URL(url, 'http://x'));
        response.end(JSON.stringify({ executions: [1, 2, 3].map(workflow) }));
      },
      ...['--limit', '2', '--namespace', 'a/b'],
    );
    expect(document.data).toEqual({
      workflows: [1, 2].map((id) => ({
        workflow_id: `w${id}`,
        run_id: `r${id}`,
        type: 'runSweep',
        task_queue: 'q',
        start_time: '2026-01-02T03:04:05Z',
      })),
      has_more: true,
    });
    expect(urls.map(({ pathname, searchParams }) => [pathname, ...searchParams])).toEqual([
      ['/api/v1/namespaces/a%2Fb/workflows', ['pageSize', '3'], ['query', 'ExecutionStatus = "Running"']],
    ]);
  });

  test('which has no workflows', async () => {
    expect((await answer((_, response) => response.end('{}'))).data).toEqual({
      workflows: [],
      has_more: false,
    });
  });

  test.each<[string, RequestListener, string]>([
    ['never answers', () => {}, 'SERVICE_UNREACHABLE'],
    ['stops in the middle', (_, response) => void response.write('{"exec'), 'SERVICE_UNREACHABLE'],
    ['hangs up', ({ socket }) => void socket.destroy(), 'SERVICE_UNREACHABLE'],
    ['redirects', (_, response) => response.writeHead(302, { location: 'http://192.0.2.1' }).end(), 'HTTP_ERROR'],
    ['gives no list', (_, response) => response.end('{"executions": 3}'), 'BAD_RESPONSE'],
    ['gives a list of other things', (_, response) => response.end('{"executions": [{}]}'), 'BAD_RESPONSE'],
  ])('which %s', async (_, listener, code) => {
    expect((await answer(listener, '--timeout-secs', '1')).code).toBe(code);
  });
});
