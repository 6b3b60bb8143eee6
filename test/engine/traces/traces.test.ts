import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Span } from '../../../src/lib/span.js';
import { namedCollector } from '../../../src/engine/traces/traces-of.js';
import { createTraces } from '../../../src/engine/traces/create-traces.js';
import { attributesIn, startCollector, type Collector } from '../../host/collector.js';

let collector: Collector;
beforeAll(async () => {
  collector = await startCollector();
});
afterAll(() => {
  collector.close();
  vi.unstubAllEnvs();
});
beforeEach(() => {
  vi.unstubAllEnvs();
  collector.requests.length = 0;
  collector.answerWith(200);
});

/** The exporter reads the variables of the process. */
function create(env: Record<string, string>) {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const warnings: string[] = [];
  const named = namedCollector(env);
  return {
    warnings,
    traces: named === null ? undefined : createTraces(named, (line) => warnings.push(line)),
  };
}

const span = (key: string, more: Partial<Span> = {}): Span => ({
  name: key,
  key,
  parent: null,
  startedAt: 1000,
  endedAt: 2500,
  attributes: {},
  events: [],
  error: null,
  ...more,
});
const json = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };

test('traces are sent to the collector of the standard variables, with its headers and the name of the service', async () => {
  const { traces, warnings } = create({
    ...json,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20k1234567',
    OTEL_RESOURCE_ATTRIBUTES: 'team=tools',
  });
  traces?.send('run 1', [
    span('run', { attributes: { passed: 2, label: 'x' } }),
    span('gate 1', { parent: 'run', error: 'no milk' }),
  ]);
  await traces?.close();
  expect(collector.requests).toMatchObject([{ path: '/v1/traces', headers: { authorization: 'Bearer k1234567' } }]);
  const [run, gate] = collector.spans();
  expect(run).toMatchObject({ name: 'run', startTimeUnixNano: '1000000000', endTimeUnixNano: '2500000000' });
  expect(attributesIn(run?.attributes ?? [])).toEqual({ passed: 2, label: 'x' });
  expect(run?.parentSpanId ?? '').toBe('');
  expect(gate).toMatchObject({ parentSpanId: run?.spanId, traceId: run?.traceId, status: { code: 2 } });
  expect(gate?.status.message).toBe('no milk');
  expect(collector.resources()).toEqual([{ 'service.name': 'llm-tool-test', team: 'tools' }]);
  expect(warnings).toEqual([]);
});

test('a trace that is sent again has the same ids, and another run has others', async () => {
  const { traces } = create({ ...json, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.address}/here` });
  for (const run of ['a', 'a', 'b']) traces?.send(run, [span('run')]);
  await traces?.close();
  expect(collector.requests.map(({ path }) => path)).toEqual(['/here', '/here', '/here']);
  const ids = collector.spans().map(({ traceId, spanId }) => `${traceId} ${spanId}`);
  expect(new Set(ids).size).toBe(2);
  expect(ids[0]).toMatch(/^[0-9a-f]{32} [0-9a-f]{16}$/);
});

test('the default protocol is protobuf; one that is not supported is named, and nothing is sent', async () => {
  const { traces } = create({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.address });
  traces?.send('a', [span('the run')]);
  await traces?.close();
  expect(collector.requests).toMatchObject([{ headers: { 'content-type': 'application/x-protobuf' } }]);
  expect(collector.requests[0]?.body.includes('the run')).toBe(true);
  const grpc = create({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
  });
  expect([grpc.traces, grpc.warnings]).toEqual([undefined, [expect.stringContaining('grpc is not supported')]]);
});

test.for<Record<string, string>>([
  {},
  { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_SDK_DISABLED: 'true' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_TRACES_EXPORTER: 'none' },
])('nothing is sent with %o', (env) => {
  expect(create(env)).toEqual({ traces: undefined, warnings: [] });
});

test('a collector that refuses traces causes one warning, without secrets, and no error', async () => {
  const { traces, warnings } = create({
    ...json,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=k1234567',
  });
  collector.answerWith(401);
  traces?.send('a', [span('run')]);
  traces?.send('b', [span('run')]);
  await traces?.close();
  expect(warnings).toEqual([expect.stringContaining(`traces cannot be sent to ${collector.address}`)]);
  expect(warnings.join()).not.toContain('k1234567');
});
