import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ResultLine } from '../../src/model/records/result-line.js';
import { readAudit, writeAudit } from '../../src/store/audit.js';
import { monthOf, spentByOwner } from '../../src/store/owner-spending.js';
import { planFile, resultsLog } from '../../src/store/results-folder.js';
import { createFolderStore } from '../../src/store/shared/folder-store.js';
import { resultLine } from './sample.js';

let results: string;
beforeEach(async () => {
  results = await mkdtemp(join(tmpdir(), 'llm-tool-test-spending-'));
});
afterEach(() => rm(results, { recursive: true, force: true }));

async function plan(sweep: string, owner?: string): Promise<void> {
  await mkdir(dirname(planFile(results, sweep)), { recursive: true });
  await writeFile(planFile(results, sweep), JSON.stringify({ sweep, ...(owner === undefined ? {} : { owner }) }));
}

test('adds up what the sweeps of an owner have cost in a month, each run once', async () => {
  await plan('a', 'ann');
  await plan('b', 'ann');
  await plan('c', 'bob');
  await plan('d');
  const line = (id: string, sweep: string, timestamp: string, more: Partial<ResultLine>): string =>
    `${JSON.stringify(resultLine({ id, sweep, timestamp, ...more }))}\n`;
  await writeFile(
    resultsLog(results),
    [
      line('1', 'a', '2026-11-01T00:00:00.000Z', { cost_usd: 0.1 }),
      line('1', 'a', '2026-11-01T00:00:00.000Z', { cost_usd: 0.1 }), // appended twice
      line('2', 'a', '2026-10-31T23:59:59.999Z', { cost_usd: 5 }),
      line('3', 'b', '2026-11-30T23:59:59.999Z', { cost_usd: null, cost_usd_at_least: 0.2 }),
      line('4', 'b', '2026-11-02T00:00:00.000Z', { cost_usd: 9, cached_from: '1' }),
      line('5', 'c', '2026-11-02T00:00:00.000Z', { cost_usd: 7 }),
      line('6', 'd', '2026-11-02T00:00:00.000Z', { cost_usd: 3 }),
    ].join(''),
  );
  expect(await spentByOwner(results, 'ann', '2026-11')).toBe(0.3);
  expect(await spentByOwner(results, 'ann', '2026-10')).toBe(5);
  expect(await spentByOwner(results, null, '2026-11')).toBe(3);
  expect(monthOf(new Date('2026-10-31T23:59:59-02:00'))).toBe('2026-11');
});

test('reads the newest entries of the audit, and names damaged ones', async () => {
  const objects = createFolderStore(results);
  for (const [verb, at] of [
    ['cancel', '2026-11-02T00:00:00.000Z'],
    ['start', '2026-11-01T00:00:00.000Z'],
    ['pause', '2026-11-01T12:00:00.000Z'],
  ] as const)
    await writeAudit(objects, { verb, who: 'ann', sweep: 's' }, { at: new Date(at) });
  const again = { at: new Date('2026-11-03T00:00:00.000Z'), once: 's' };
  await writeAudit(objects, { verb: 'start', who: null, sweep: 's' }, again);
  await writeAudit(objects, { verb: 'start', who: null, sweep: 's' }, again);
  const { entries, older, damaged } = await readAudit(objects, 3);
  expect(entries.map(({ verb }) => verb)).toEqual(['pause', 'cancel', 'start']);
  expect([older, damaged]).toEqual([1, []]);
  await objects.put('audit/2026-11-04.json', '{');
  expect((await readAudit(objects, 1)).damaged).toEqual(['2026-11-04.json']);
});
