import { expect, onTestFinished, test, vi } from 'vitest';
import { plainView } from '../../src/commands/shared/plain-view.js';
import type { Plan } from '../../src/scenario/plan.js';
import type { SweepProgress } from '../../src/workflows/protocol.js';

const progress = (change: object = {}): SweepProgress => ({
  status: 'running',
  active: [],
  total: 3,
  counts: { pass: 0, fail: 0, error: 0, cancelled: 0 },
  ...change,
});

test('the plain view says once that a run waits, until when, and how to end the wait', async () => {
  const notices: string[] = [];
  const written = vi
    .spyOn(process.stderr, 'write')
    .mockImplementation((text) => notices.push(String(text)) > 0);
  onTestFinished(() => written.mockRestore());
  const until = new Date();
  until.setHours(until.getHours() + 1, 5);
  const parked = [{ cell: 'a', workflowId: 'w/a', until: until.getTime(), provider: 'openai' }];
  const view = plainView({ sweep: 'long', cells: [] } as unknown as Plan);
  for (let looks = 0; looks < 2; looks++)
    await view.show({ progress: progress({ parked }), waiting: null, results: [] });
  expect(notices).toEqual([
    expect.stringMatching(/^waiting for openai until \d\d:05; .*retry long --now`\n$/),
  ]);
});
