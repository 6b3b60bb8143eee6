import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { logFile } from '../../src/engine/engine-state.js';
import { projectState } from '../../src/host/folders.js';
import { attributesIn, startCollector } from '../host/collector.js';
import { createProject, EMPTY_FIXTURE, scenario, until } from './project.js';

test('a run is sent as a trace with its steps and the calls of its agent, which does not see where', async ({
  onTestFinished,
}) => {
  const collector = await startCollector();
  const project = await createProject(
    {
      ...EMPTY_FIXTURE,
      'fixtures/seen.yaml': scenario('seen', {
        gates: ['{type: file_contains, path: out.txt, substring: milk}'],
        steps: ['run: env > env.txt', 'run: echo bread > out.txt'],
      }),
    },
    { ownEngine: true },
  );
  onTestFinished(async () => {
    await project.remove();
    collector.close();
  });
  const variables = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=k1234567',
  };
  const { document } = await project.run(['seen'], variables);
  const [cell] = document.cells;
  await until('the trace', () => (collector.spans().length > 0 ? true : null));
  const spans = collector.spans();
  const parentOf = ({ parentSpanId }: (typeof spans)[number]): string | undefined =>
    spans.find(({ spanId }) => spanId === parentSpanId)?.name;
  expect(spans.map((span) => [span.name, parentOf(span)])).toEqual([
    ['run seen', undefined],
    ['prepare', 'run seen'],
    ['invoke_agent mock', 'run seen'],
    ['gate 1', 'run seen'],
    ['execute_tool shell', 'invoke_agent mock'],
    ['execute_tool shell', 'invoke_agent mock'],
  ]);
  const [run] = spans;
  expect(attributesIn(run?.attributes ?? [])).toMatchObject({
    'llm_tool_test.sweep': document.sweep,
    'llm_tool_test.run': cell?.results_dir?.split('/').at(-1),
    'llm_tool_test.outcome': 'fail',
  });
  expect(run?.status.code).toBe(2);
  // Confidential attributes are sent only on request.
  expect(JSON.stringify(spans)).not.toContain('bread');
  const seen = readFileSync(join(cell?.results_dir ?? '', 'fixture/env.txt'), 'utf8');
  expect(seen).toContain('PATH=');
  expect(seen).not.toContain('OTEL_');
  const log = readFileSync(logFile(projectState(project.results, project.state).folder, 'worker'), 'utf8');
  expect(log).not.toContain('traces');
});
