import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { StoredScenario } from '../../src/scenario/stored-scenario.js';

/** The store of an older build: scenarios had no version and were stored in the form of their files. */
const STORE = join(import.meta.dirname, '..', 'commands', 'recorded', 'results', '.store');
const GUIDED = 'e95f7b44c6600deebcd4cd73d8e6e3f2c06854548728dba545d70456c0d1269d';

const read = (hash: string): unknown => JSON.parse(readFileSync(join(STORE, hash, 'scenario.json'), 'utf8'));

describe('a scenario that an older build has stored', () => {
  test('is read into the current form', () => {
    expect(StoredScenario.parse(read(GUIDED))).toMatchObject({
      schema_version: 2,
      scenario: {
        name: 'notes',
        tier: 1,
        tags: ['quick'],
        inputs: {
          fixture: 'base',
          files: { 'AGENTS.md': 'Notes are kept in notes.md.\n', 'GUIDE.md': 'Use sh.\n' },
          commands: ['mkdir -p notes'],
        },
        environment: { type: 'local' },
        steps: [
          {
            kind: 'agent',
            prompt: 'Read AGENTS.md, then write "milk" into notes.md.',
            timeout_secs: 60,
            max_turns: 5,
          },
          { kind: 'command', command: 'wc -w < notes.md > count.txt', timeout_secs: 20 },
        ],
        checks: {
          gates: [{ type: 'file_contains' }, { type: 'command_succeeds', name: 'counted' }],
          evaluators: [{ name: 'size', timeout_secs: 60 }],
        },
        judgment: { gates: 'all_pass', composite: { judge_weight: 0.55 } },
        agents: [],
        repeat: 1,
        cost: { cache: true },
        mock: { steps: [{ run: 'echo milk > notes.md' }, { say: 'Written.' }, {}] },
      },
      target: { binary: 'sh' },
      judge: null,
    });
  });

  test('has the time limit that its run was planned with, not that of its file', () => {
    const planned = { ...(read(GUIDED) as object), timeout_secs: 7 };
    expect(StoredScenario.parse(planned).scenario.steps[0]).toMatchObject({ kind: 'agent', timeout_secs: 7 });
  });

  test('reads the same after this build has stored it', () => {
    const scenarios = readdirSync(STORE).filter((hash) =>
      readdirSync(join(STORE, hash)).includes('scenario.json'),
    );
    expect(scenarios).toHaveLength(4);
    for (const hash of scenarios) {
      const stored = StoredScenario.parse(read(hash));
      expect(StoredScenario.parse(JSON.parse(JSON.stringify(stored)))).toEqual(stored);
    }
  });

  test('is refused if it has neither the current nor the older form', () => {
    expect(StoredScenario.safeParse({ schema_version: 3 }).success).toBe(false);
    expect(StoredScenario.safeParse({}).success).toBe(false);
  });
});
