import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { AgentStep } from '../../src/activities/agent/agent-step.js';
import type { StepResults } from '../../src/activities/report/collect-steps.js';
import { composeExecutions } from '../../src/activities/report/compose-executions.js';
import type { Manifest } from '../../src/activities/step/run-step-once.js';
import { startFiles } from '../../src/environments/journal.js';
import { newFolder } from '../host/temporary.js';
import type { LoadedRun, RunAccess } from '../../src/activities/run/context.js';

const at = (secs: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, secs));

/** The agent's step of a turn whose worker was killed: the next one adopted the agent a second before it ended. */
const adopted = (turn: number, first: number, endedAt: number): Manifest<AgentStep> =>
  ({
    duration_ms: 1000,
    attempt: 2,
    at: at(endedAt).toISOString(),
    result: {
      record: { starts: first, exit_code: 0, duration_ms: 20_000 },
      turn: { number: turn, at: turn - 1, first, user: 'Hi', agent: 'Hello' },
    },
  }) as unknown as Manifest<AgentStep>;

async function composed(claimed: readonly number[]) {
  const journal = await newFolder();
  for (const [index, secs] of claimed.entries()) {
    const { claim } = startFiles({ journal }, index + 1);
    await mkdir(dirname(claim), { recursive: true });
    await writeFile(claim, '');
    await utimes(claim, at(secs), at(secs));
  }
  const input = { kind: 'agent', prompt: 'Hi', timeout_secs: 300 };
  const context = {
    handle: { journal },
    files: { events: join(journal, 'events.jsonl') },
    run: { run: 'r' },
    redact: (text: string) => text,
    scenario: { steps: [input, input] },
  } as unknown as LoadedRun & RunAccess;
  const found = { agents: [adopted(1, 1, 30), adopted(2, 2, 60)], commands: [] } as unknown as StepResults;
  return composeExecutions(context, found).executions.map(({ startedAtMs, endedAtMs }) => [startedAtMs, endedAtMs]);
}

test('an execution begins when its agent was started, not when another worker adopted it', async () => {
  expect(await composed([10, 40])).toEqual([
    [at(10).getTime(), at(30).getTime()],
    [at(40).getTime(), at(60).getTime()],
  ]);
});

test('the time of a start that left no files is that of its step', async () => {
  expect(await composed([])).toEqual([
    [at(29).getTime(), at(30).getTime()],
    [at(59).getTime(), at(60).getTime()],
  ]);
});
