import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { privateCopy, type PrivateCopy } from './private-copy.js';

const NUMBERS = ['1', '1.1', '1.1.1', '1.2', '1.10', '2'];

async function withTasks(numbers: readonly string[] = NUMBERS): Promise<PrivateCopy> {
  const copy = await privateCopy();
  for (const number of numbers) await copy.write(`.tasks/${number}-work.md`, `# ${number}\n`);
  await copy.write('.tasks/README.md', 'not a task\n');
  return copy;
}

const stateIn = async ({ folder }: PrivateCopy): Promise<unknown> =>
  JSON.parse(await readFile(join(folder, '.tasks/state.json'), 'utf8'));

test('the scripts visit each task once, in natural order, and then report that all are completed', async () => {
  const copy = await withTasks();
  await copy.script('task-start', '1');
  const visited: unknown[] = [];
  for (;;) {
    const { data } = (await copy.script('task-next')).document as {
      data: { task: { number: string } | null };
    };
    if (data.task === null) break;
    const { number } = data.task;
    await copy.script('task-start', number); // the first is already started, so this is refused
    expect((await copy.script('task-done')).document).toMatchObject({
      data: { current: number, status: 'done' },
    });
    expect((await copy.script('task-next')).document.data).toEqual({
      task: null,
      reason: `Waiting for verification of task ${number}`,
    });
    visited.push(number);
    expect((await copy.script('task-verify')).document.success).toBe(true);
  }
  expect(visited).toEqual(NUMBERS);
  for (const attempt of [1, 2]) {
    expect((await copy.script('task-next')).document.data, String(attempt)).toEqual({
      task: null,
      reason: 'All tasks completed',
    });
    expect((await copy.script('task-start', '1')).document.code).toBe('INVALID_TRANSITION');
    expect((await copy.script('task-verify')).document.code).toBe('INVALID_TRANSITION');
  }
});

describe('task-start', () => {
  test('takes one argument as the number, two as folder and number', async () => {
    const copy = await withTasks();
    expect((await copy.script('task-start', '.tasks', '1')).document.data).toEqual({
      current: '1',
      status: 'in_progress',
      last_verified: null,
      task: { number: '1', name: 'work', filename: '1-work.md', path: '.tasks/1-work.md' },
    });
    expect((await copy.script('task-start', '1')).document.code).toBe('ALREADY_IN_PROGRESS');
  });

  test('finds a task by the value of its number, and keeps its spelling', async () => {
    const copy = await withTasks(['1.0']);
    expect((await copy.script('task-start', '1')).document.data).toMatchObject({ current: '1.0' });
  });

  test('names the permission that another folder requires', async () => {
    const copy = await withTasks();
    const { document } = await copy.script('task-start', 'elsewhere', '1');
    expect(document).toMatchObject({
      code: 'PERMISSION_DENIED',
      error: expect.stringContaining('--allow-read') as string,
    });
  });
});

describe('a state of the original version, without last_verified,', () => {
  test('that is pending names the next task', async () => {
    const copy = await withTasks();
    await copy.write('.tasks/state.json', '{"current": "1.2", "status": "pending"}');
    expect((await copy.script('task-next')).document.data).toMatchObject({ task: { number: '1.2' } });
  });

  test('that is done can be verified', async () => {
    const copy = await withTasks();
    await copy.write('.tasks/state.json', '{"current": "1.2", "status": "done"}');
    await copy.script('task-verify');
    expect(await stateIn(copy)).toEqual({ current: '1.10', status: 'pending', last_verified: '1.2' });
  });
});

test('task-list gives pages of any size without gaps', async () => {
  const { script } = await withTasks();
  for (const count of [1, 2, 4, 6, 100]) {
    const numbers: string[] = [];
    for (let more = true; more;) {
      const after = numbers.at(-1);
      const page = (await script('task-list', '.tasks', String(count), ...(after === undefined ? [] : [after])))
        .document.data as {
        tasks: { number: string }[];
        has_more: boolean;
        returned_count: number;
        total_count: number;
      };
      expect(page).toMatchObject({ total_count: NUMBERS.length, returned_count: page.tasks.length });
      numbers.push(...page.tasks.map(({ number }) => number));
      more = page.has_more;
    }
    expect(numbers).toEqual(NUMBERS);
  }
});
