import { describe, expect, test } from 'vitest';
import { handleOf, judgeHandle, pathsIn } from '../../src/activities/run/run-paths.js';
import { mocksFileOf } from '../../src/mocks/mocks-file.js';
import type { Place } from '../../src/environments/environment.js';
import type { Scenario } from '../../src/scenario/scenario.js';
import { opaqueId, stateOfRun } from '../../src/store/results-folder.js';
import type { RunRef } from '../../src/protocol/index.js';

const RUN = '20260102-030405-zzagent-zzmodel-zzscenario-12345678';
const PLACES: Pick<Place, 'type' | 'container' | 'sandbox'>[] = [
  { type: 'local' },
  { type: 'bubblewrap' },
  { type: 'docker', container: { command: 'docker', tag: 'image', id: 'sha256:1', path: '/bin' } as never },
  { type: 'e2b', sandbox: { template: 'base', timeoutSecs: 60, module: '/e2b' } },
];

describe.each(PLACES)('the place of a run in $type', (place) => {
  test('is the same for each attempt, differs from that of other runs, and says nothing about the run', () => {
    const handleFor = (run: string) => handleOf(stateOfRun('/state', run), place, { hidden: [], project: null });
    const [handle, other] = [handleFor(RUN), handleFor(`${RUN}0`)];
    expect(handleFor(RUN)).toEqual(handle);
    for (const each of [handle, judgeHandle(handle)]) {
      expect(JSON.stringify([each, pathsIn(each.root, {})])).not.toMatch(/zz|fixture|12345678/);
      expect(each.mark.split('/')[0]).toBe(opaqueId(RUN));
    }
    for (const part of ['mark', 'journal'] as const) expect(other[part]).not.toBe(handle[part]);
    for (const part of ['container', 'sandbox'] as const)
      if (handle[part] !== undefined) expect(other[part]?.name).not.toBe(handle[part].name);
  });
});

test.each([
  ['are not written for a mock that cannot use them', { response: 'x' }, false],
  ['are written for a condition', { when: { context: { agent: 'zzagent' } } }, true],
  ['are written for a matcher', { when: { matcher: 'context.scenario === "a"' } }, true],
  ['are written for a template', { response: '${context.scenario}' }, true],
])('the names of scenario and agent %s', (_, mock, isNamed) => {
  const cell = { id: 'zzscenario/zzagent/zzmodel/default/1', scenario: 'zzscenario', agent: 'zzagent' };
  const scenario = { name: 'zzscenario', mocks: [{ command: 'gh', ...mock }] } as unknown as Scenario;
  const file = mocksFileOf({ cell } as unknown as RunRef, scenario, '/calls');
  expect([file.scenario, file.agent]).toEqual(isNamed ? ['zzscenario', 'zzagent'] : ['', '']);
  expect(file.seed).not.toContain('zz');
});
