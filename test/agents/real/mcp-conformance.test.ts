import { readdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import type { McpConnection } from '../../../src/subjects/mcp/proxy-file.js';
import type { ProxyRecord } from '../../../src/subjects/mcp/record.js';
import { serveAgent } from '../../../src/subjects/mcp/serve-agent.js';
import { REPOSITORY } from '../../commands/project.js';
import { openServer } from '../../mcp/conforming-server.js';
import { serveHttp, type Open } from '../../mcp/http-front.js';
import { proxyFile } from '../../subjects/mcp/connected.js';
import { newFolder } from '../../host/temporary.js';
import { provideConformance } from '../clis.js';
import { provideNode24 } from '../eliza-runtime.js';

const VERSIONS = ['2025-11-25', '2026-07-28'];
const MCP = join(REPOSITORY, 'test/mcp');
const env = { PATH: process.env['PATH'] ?? '' };

/** Runs the conformance suite. Returns its exit code, and of each scenario what was checked with what result. */
async function conformance(args: readonly string[]) {
  const out = await newFolder();
  const suite = await provideConformance(console.log);
  const { exitCode } = await execa(await provideNode24(), [suite, ...args, '--output-dir', out], {
    reject: false,
    cwd: out,
  });
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' });
  const read = (name: string): [scenario: string, text: string][] =>
    files
      .filter((path) => path.endsWith(name))
      .map((path) => [dirname(path).replace(/-\d{4}-\d\d-\d\dT.*/, ''), readFileSync(join(out, path), 'utf8')]);
  const checks = read('checks.json').map(([scenario, text]) => {
    const all = JSON.parse(text) as { id: string; status: string }[];
    const results = all.flatMap(({ id, status }) => (status === 'INFO' ? [] : [`${id} ${status}`]));
    return [scenario, results] as const;
  });
  return { exitCode, checks: Object.fromEntries(checks), stderr: Object.fromEntries(read('stderr.txt')) };
}

/** The address of a server of the tests, which each connection reaches by `open`. */
async function address(open: Open): Promise<string> {
  const server = await serveHttp(open);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}/mcp`;
}

/** Connections with a server through the proxy. */
const through =
  (connection: McpConnection, folder: string, record: (line: ProxyRecord) => void): Open =>
  (tell) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    createInterface({ input: output }).on('line', (line) => tell(JSON.parse(line) as Record<string, unknown>));
    void serveAgent(proxyFile(connection, folder), { input, output, name: '1', record });
    return { send: (message) => input.write(`${JSON.stringify(message)}\n`), close: () => input.end() };
  };

test.each(VERSIONS)(
  'a server that conforms to %s does so behind the proxy, over stdio and over HTTP, by the suite of the protocol',
  async (version) => {
    const lines: ProxyRecord[] = [];
    const direct = await address((tell) => ({ send: openServer(tell), close: () => undefined }));
    const stdio = { command: process.execPath, args: [join(MCP, 'conforming-server.js')], env };
    const folder = await newFolder();
    const results = [];
    for (const url of [
      direct,
      await address(through(stdio, folder, (line) => lines.push(line))),
      await address(through({ url: direct, headers: {} }, folder, (line) => lines.push(line))),
    ])
      results.push(await conformance(['server', '--url', url, '--requirements', version]));
    const [without, ...withProxy] = results.map(({ exitCode, checks }) => ({ exitCode, checks }));
    expect(without?.exitCode).toBe(0);
    expect(Object.keys(without?.checks ?? {}).length).toBeGreaterThan(30);
    for (const one of withProxy) expect(one).toEqual(without);
    expect(lines.filter(({ type }) => type === 'problem')).toEqual([]);
  },
);

/** Scenarios for clients; those of authorization have nothing to do with the proxy, which is given the headers. */
const FOR_CLIENTS = [
  ['2025-11-25', 'initialize'],
  ['2025-11-25', 'tools_call'],
  ['2025-11-25', 'elicitation-sep1034-client-defaults'],
  ['2025-11-25', 'sse-retry'],
  ['2025-11-25', 'json-schema-2020-12-preservation'],
  ['2026-07-28', 'tools_call'],
  ['2026-07-28', 'request-metadata'],
  ['2026-07-28', 'sep-2322-client-request-state'],
  ['2026-07-28', 'http-standard-headers'],
  ['2026-07-28', 'http-custom-headers'],
  ['2026-07-28', 'http-invalid-tool-headers'],
  ['2026-07-28', 'json-schema-ref-no-deref'],
  ['2026-07-28', 'json-schema-2020-12-preservation'],
] as const;

/**
 * Faults that the servers of these scenarios have on purpose; real clients of 2026-07-28 refuse a result without a
 * type, too.
 */
const FAULTS: Partial<Record<string, string[]>> = {
  'sep-2322-client-request-state': ['tools/call: resultType: missing'],
  'http-invalid-tool-headers': [
    ...['empty_header', 'object_header', 'array_header', 'null_header', 'number_header'],
    ...['duplicate_same_case', 'duplicate_diff_case', 'space_in_name', 'colon_in_name', 'non_ascii_name'],
    'control_char_name',
  ].map((name) => `tools/list: invalid_${name}: `),
};

test.each(FOR_CLIENTS)(
  'the proxy conforms to %s as a client of HTTP, in the scenario %s',
  async (version, scenario) => {
    const command = `${process.execPath} ${join(MCP, 'conformance-client.js')}`;
    const { exitCode, checks, stderr } = await conformance([
      ...['client', '--command', command, '--scenario', scenario, '--spec-version', version],
    ]);
    expect(Object.values(checks).flat()).not.toEqual([]);
    expect(
      Object.values(checks)
        .flat()
        .filter((check) => / (FAILURE|WARNING)$/.test(check)),
    ).toEqual([]);
    expect(exitCode).toBe(0);
    const said = Object.values(stderr)
      .join('')
      .split('\n')
      .filter((line) => line.startsWith('problem: '));
    expect(said).toEqual((FAULTS[scenario] ?? []).map((fault) => expect.stringContaining(fault) as string));
  },
);
