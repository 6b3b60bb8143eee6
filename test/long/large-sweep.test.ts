import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { expect, test } from 'vitest';
import { readEngineState } from '../../src/engine/engine-state.js';
import { projectState } from '../../src/host/folders.js';
import { QUERIES, sweepWorkflowId, type SweepProgress } from '../../src/protocol/index.js';
import { linesIn } from '../commands/engine-parts.js';
import { createProject, documentOf, EMPTY_FIXTURE, scenario, until } from '../commands/project.js';

/** LONG_CELLS=10000 runs a sweep of that size, which takes about 20 minutes on two cores. */
const CELLS = Number(process.env['LONG_CELLS'] ?? '1000');
const CONCURRENCY = 10;
const CELLS_PER_HISTORY = 200;
const ENV = {
  LLM_TOOL_TEST_ENABLED: '1',
  OPENAI_API_KEY: 'key-of-the-test',
  LLM_TOOL_TEST_LIMITS: JSON.stringify({ cellsPerHistory: CELLS_PER_HISTORY }),
};

/** Imitates Codex, and reports a limit of five hours while the file `at-limit` exists. */
const CODEX = `#!/bin/sh
[ "$1" = --version ] && echo 'codex-cli 0.0.1' && exit
folder=$(dirname "$0")
echo start >> "$folder/limited.starts"
printf '{"type":"thread.started","thread_id":"thread-1"}\\n{"type":"turn.started"}\\n'
if [ -e "$folder/at-limit" ]; then
  printf '{"type":"turn.failed","error":{"message":"You have hit your usage limit. Try again in 5 hours."}}\\n'
  exit 1
fi
printf '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"Done."}}\\n'
printf '{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":0,"output_tokens":5,"reasoning_output_tokens":0}}\\n'
`;

test(
  `a sweep of ${CELLS} cells uses all of its slots while one run waits five hours for its provider`,
  { timeout: 3_600_000 },
  async () => {
    const config = [
      '[agents.codex]\ncommand = "./codex"\nmodels = ["gpt-5.5"]\n',
      '[agents.instant]\ncommand = "true"\nfree = true\n',
    ];
    const project = await createProject(
      {
        ...EMPTY_FIXTURE,
        'llm-tool-test-config.toml': config.join(''),
        'fixtures/limited.yaml': scenario('limited', { more: 'tool_matrix: [{agent: codex}]' }),
        'fixtures/many.yaml': scenario('many', {
          gates: ['{type: file_exists, path: README.md}'],
          more: `tool_matrix: [{agent: instant}]\nmatrix: {repeat: ${CELLS - 1}}\ncost: {cache: false}`,
        }),
        'at-limit': '',
      },
      { ownServer: true },
    );
    await project.write('codex', CODEX, 0o755);
    const args = ['run', 'limited', 'many', '--concurrency', String(CONCURRENCY), '--name', 'large'];
    const started = await project.cli([...args, '--detach', '--json'], ENV);
    expect(started.exitCode, started.stdout).toBe(0);
    const { sweep } = documentOf(started.stdout);
    const { address } = (await readEngineState(projectState(project.results, project.state).folder)) ?? {};
    const connection = await Connection.connect({ address: address ?? '' });
    const handle = new Client({ connection }).workflow.getHandle(sweepWorkflowId(sweep));

    /** The largest number of slots seen in use at the same time, by history of the sweep. */
    const busiest = new Map<string, number>();
    await until(
      'all cells but one have ended',
      async () => {
        const { runId } = await handle.describe();
        const { active, parked = [], counts } = await handle.query<SweepProgress>(QUERIES.progress);
        expect(active.length).toBeLessThanOrEqual(CONCURRENCY);
        for (const { cell } of parked) expect(active.map((run) => run.cell)).not.toContain(cell);
        if (parked.length === 1) busiest.set(runId, Math.max(busiest.get(runId) ?? 0, active.length));
        return counts.pass === CELLS - 1 && parked.length === 1 ? true : null;
      },
      3_000_000,
    );
    await connection.close();
    const seen = [...busiest.values()];
    expect(seen.length).toBeGreaterThanOrEqual(Math.floor(CELLS / CELLS_PER_HISTORY) - 1);
    // The last history may begin with fewer cells than there are slots.
    for (const slots of seen.slice(0, -1)) expect(slots).toBe(CONCURRENCY);

    await rm(join(project.folder, 'at-limit'));
    const { exitCode, stdout } = await project.cli(['retry', sweep, '--now', '--json'], ENV);
    expect(exitCode).toBe(0);
    expect(documentOf(stdout).totals).toMatchObject({ passed: CELLS });
    const lines = await project.resultLines();
    expect(lines).toHaveLength(CELLS);
    expect(new Set(lines.map(({ cell }) => cell)).size).toBe(CELLS);
    expect(linesIn(project, 'limited.starts')).toHaveLength(2);
    await project.remove();
  },
);
