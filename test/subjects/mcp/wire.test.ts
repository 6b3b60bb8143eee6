import fc from 'fast-check';
import { expect, it } from 'vitest';
import { waitUntil } from '../../../src/host/process/waiting.js';
import { mockOf } from './mock-of.js';
import { connected } from './connected.js';

const env = { PATH: process.env['PATH'] ?? '' };
const node = (program: string) => ({ command: process.execPath, args: ['-e', program], env });

/** A server that answers each request with what `answer` is, an expression of the message `m`. */
const answering = (answer: string) =>
  node(`require('readline').createInterface({input:process.stdin}).on('line',(l)=>{const m=JSON.parse(l);
if(m.id===undefined)return; const text='t'; process.stdout.write(${answer})})`);

it('passes on all bytes in both directions as they are, whatever they are', async () => {
  const agent = await connected({ command: 'cat', args: [], env });
  const line = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.constantFrom('{"jsonrpc":"2.0","id":12345678901234567890,"method":"x","params":{"n":1e400,"n":1.0}}', '\r', ''),
  );
  const sent = fc
    .sample(line, 300)
    .map((one) => `${one.replaceAll('\n', '')}\n`)
    .join('');
  const bytes = Buffer.concat([Buffer.from(sent), Buffer.from([0xff, 0xfe, 0, 10])]);
  agent.write(bytes);
  await waitUntil(() => agent.received().length >= bytes.length || null, 20_000, 5);
  expect(agent.received().equals(bytes)).toBe(true);
});

it('passes on what a server writes before it has ended the line', async () => {
  const agent = await connected(node(`process.stdout.write('no newline yet'); process.stdin.resume()`));
  await waitUntil(() => agent.received().toString() === 'no newline yet' || null, 20_000, 5);
  await agent.close();
  expect(agent.received().toString()).toBe('no newline yet');
});

it('delivers an answer of 100 MB as it is, which is more than clients take, and blames nobody for it', async () => {
  const size = 100e6;
  const agent = await connected(
    answering(
      `'{"jsonrpc":"2.0","id":'+m.id+',"result":{"content":[{"type":"text","text":"'+'h'.repeat(${size})+'"}]}}\\n'`,
    ),
  );
  agent.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}\n');
  await waitUntil(() => agent.lines.some(({ type }) => type === 'answer') || null, 60_000, 20);
  await waitUntil(() => agent.received().at(-1) === 10 || null, 60_000, 50);
  const whole = Buffer.from(
    `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"${'h'.repeat(size)}"}]}}\n`,
  );
  expect(agent.received().equals(whole)).toBe(true);
  expect(agent.lines.at(-1)).toMatchObject({ type: 'answer', is_error: false });
  expect(agent.problems()).toEqual([]);
});

it('delivers an answer that is nested 20,000 deep', async () => {
  const agent = await connected(
    answering(
      `'{"jsonrpc":"2.0","id":'+m.id+',"result":{"content":[],"structuredContent":{"a":'+'['.repeat(20000)+']'.repeat(20000)+'}}}\\n'`,
    ),
  );
  expect(await agent.ask(1, 'tools/call', { name: 'a' })).toHaveProperty('result.structuredContent');
  expect(agent.lines.at(-1)).toMatchObject({ type: 'answer', is_error: false });
});

it('gives a mocked answer between two lines of the server, never within one', async () => {
  const agent = await connected(
    node(
      `process.stdout.write('{"jsonrpc":"2.0",'); process.stdin.once('data',()=>process.stdout.write('"method":"x"}\\n'))`,
    ),
    [mockOf({ mcp: 'files', tool: 'read', response: 'mocked' })],
  );
  await waitUntil(() => agent.received().length > 0 || null, 20_000, 5);
  agent.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"}}\n');
  await waitUntil(() => agent.lines.some(({ type }) => type === 'answer') || null, 20_000, 5);
  expect(agent.received().toString()).toBe('{"jsonrpc":"2.0",');
  agent.tell('go');
  await waitUntil(() => agent.messages().length === 2 || null, 20_000, 5);
  expect(agent.messages()).toMatchObject([{ method: 'x' }, { id: 1, result: { content: [{ text: 'mocked' }] } }]);
});

it('says with which status and last words a server has ended', async () => {
  const agent = await connected(node(`console.error('no config file'); process.exit(3)`));
  expect(await agent.over).toBe(false);
  expect(agent.problems()).toEqual(['the server ended before the agent (exit code 3): no config file']);
});

it('a server that ends within a line has not answered', async () => {
  const agent = await connected(answering(`'{"jsonrpc":"2.0","id":1,"result":'); process.exit(0`));
  agent.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}\n');
  await agent.over;
  expect(agent.problems()[0]).toContain('ended within a line');
  expect(agent.lines).toContainEqual(expect.objectContaining({ type: 'answer', is_error: true }));
});
