import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ENGINE_PROTOCOL, HISTORY_MARKERS } from '../../src/lib/engine-protocol.js';
import { type EngineState, newerEngineProblem } from '../../src/engine/engine-state.js';
import { REPOSITORY } from '../commands/project.js';

const stateOf = (protocol: number) =>
  ({ versions: { temporal: null, llm_tool_test: '9.9.9' }, protocol }) as EngineState;

test('refuses an engine of a build that knows more markers, with advice, and accepts others', () => {
  expect(newerEngineProblem(stateOf(ENGINE_PROTOCOL + 1), '/state')).toMatch(
    /newer llm-tool-test \(9\.9\.9, protocol \d+\)[^]*Use the newer version/,
  );
  for (const state of [null, stateOf(ENGINE_PROTOCOL), stateOf(ENGINE_PROTOCOL - 1)])
    expect(newerEngineProblem(state, '/state')).toBeNull();
});

test('lists every marker that workflows leave in histories', () => {
  const folder = join(REPOSITORY, 'src', 'workflows');
  const markers = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) =>
      [...readFileSync(join(folder, name), 'utf8').matchAll(/patched\('([^']+)'\)/g)].map(([, marker]) => marker),
    );
  expect([...new Set(markers)].sort()).toEqual([...HISTORY_MARKERS].sort());
});
