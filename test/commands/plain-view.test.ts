import { expect, onTestFinished, test, vi } from 'vitest';
import { plainView } from '../../src/commands/shared/plain-view.js';
import type { Plan } from '../../src/scenario/plan.js';
import { cell } from '../model/sample.js';
import { resultLine } from '../store/sample.js';
import type { SweepProgress } from '../../src/protocol/index.js';

test('the plain view names all cells of a repeated sweep alike, and lists no earlier results', async () => {
  const notices: string[] = [];
  const written = vi.spyOn(process.stderr, 'write').mockImplementation((text) => notices.push(String(text)) > 0);
  onTestFinished(() => written.mockRestore());
  const cells = [1, 2, 3].map((repetition) => ({ ...cell(), id: `notes/${repetition}`, repetition }));
  const line = (at: number) =>
    resultLine({ id: `r${at}`, cell: `notes/${at}`, repetition: at, scenario_id: 'notes', duration_secs: 1 });
  const view = plainView({ sweep: 's', cells } as unknown as Plan, new Set(['r3']));
  const snapshot = { progress: null, waiting: null };
  await view.show({ ...snapshot, results: [line(3), line(1)] });
  await view.show({ ...snapshot, results: [line(3), line(1), line(2)] });
  expect(notices).toEqual([
    expect.stringMatching(/^\[2\/3\] pass {3}notes mock\/default #1 {2}/),
    expect.stringMatching(/^\[3\/3\] pass {3}notes mock\/default #2 {2}/),
  ]);
});

const progress = (change: object = {}): SweepProgress => ({
  status: 'running',
  active: [],
  total: 3,
  counts: { pass: 0, fail: 0, error: 0, cancelled: 0 },
  ...change,
});

test('the plain view says once that a run waits, until when, and how to end the wait', async () => {
  const notices: string[] = [];
  const written = vi.spyOn(process.stderr, 'write').mockImplementation((text) => notices.push(String(text)) > 0);
  onTestFinished(() => written.mockRestore());
  const until = new Date();
  until.setHours(until.getHours() + 1, 5);
  const parked = [{ cell: 'a', workflowId: 'w/a', until: until.getTime(), provider: 'openai' }];
  const view = plainView({ sweep: 'long', cells: [] } as unknown as Plan);
  for (let looks = 0; looks < 2; looks++)
    await view.show({ progress: progress({ parked }), waiting: null, results: [] });
  expect(notices).toEqual([expect.stringMatching(/^waiting for openai until \d\d:05; .*retry long --now`\n$/)]);
});

test('the plain view says once what a sweep cannot do', async () => {
  const notices: string[] = [];
  const written = vi.spyOn(process.stderr, 'write').mockImplementation((text) => notices.push(String(text)) > 0);
  onTestFinished(() => written.mockRestore());
  const troubles = [{ what: 'read the plan', message: 'the share is away' }];
  const view = plainView({ sweep: 'long', cells: [] } as unknown as Plan);
  for (let looks = 0; looks < 2; looks++)
    await view.show({ progress: progress({ troubles }), waiting: null, results: [] });
  expect(notices).toEqual(['cannot read the plan, and tries again: the share is away\n']);
});
