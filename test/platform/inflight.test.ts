import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { noteInflight } from '../../src/platform/inflight.js';
import { newFolder } from './temporary.js';

const activity = { taskToken: 'dG9rZW4=', workflowId: 'run', runId: '1' };
const notes = (state: string): number => readdirSync(join(state, 'inflight')).length;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('notes an activity while it is performed, and until the server knows of its end', async () => {
  const state = await newFolder();
  expect(await noteInflight(state, activity, () => Promise.resolve(notes(state)))).toBe(1);
  vi.advanceTimersByTime(500);
  expect(notes(state)).toBe(1);
  vi.advanceTimersByTime(500);
  expect(notes(state)).toBe(0);
});

it('does so also with one that fails', async () => {
  const state = await newFolder();
  const failing = noteInflight(state, activity, () => Promise.reject(new Error('failed')));
  await expect(failing).rejects.toThrow('failed');
  expect(notes(state)).toBe(1);
  vi.advanceTimersByTime(1000);
  expect(notes(state)).toBe(0);
});
