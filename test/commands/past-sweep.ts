import { mkdirSync, utimesSync, writeFileSync, appendFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256 } from '../../src/lib/hash.js';
import type { Cell } from '../../src/model/records/cell.js';
import { buildSweepDocument } from '../../src/decide/documents/sweep-document.js';
import type { ResultLine } from '../../src/model/records/result-line.js';
import type { Plan } from '../../src/scenario/plan.js';
import { stateOfRun } from '../../src/store/results-folder.js';
import { resultLine } from '../store/sample.js';

const DAY = 86_400_000;

export interface PastSweep {
  id: string;
  daysAgo: number;
  runs?: number;
  /** The sweep has no summary: it has not ended. */
  open?: boolean;
  /** Sweeps with the same content share their snapshots. */
  content?: string;
  scenarios?: string[];
  agents?: string[];
  change?: (index: number) => Partial<ResultLine>;
}

/** Writes what an earlier sweep would have left in results and state, without running anything. */
export function writePastSweep(results: string, state: string | null, past: PastSweep): string[] {
  const { id, daysAgo, runs = 1, open = false, content = id, scenarios = ['notes'], agents = ['mock'] } = past;
  const at = new Date(Date.now() - daysAgo * DAY);
  const stamp = at.toISOString();
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(results, path)), { recursive: true });
    writeFileSync(join(results, path), text);
  };
  const fixture = sha256(`fixture ${content}`);
  write(`.store/${fixture}/README.md`, content);
  const scenario = JSON.stringify({ fixture });
  const hash = sha256(scenario);
  write(`.store/${hash}/scenario.json`, scenario);

  const cells = Array.from({ length: runs }, (_, index): Cell => {
    const name = scenarios[index % scenarios.length] ?? '';
    const agent = agents[Math.floor(index / scenarios.length) % agents.length] ?? '';
    return {
      id: `${name}/${agent}/default/default/${index}`,
      scenario: name,
      agent,
      model: 'default',
      variant: 'default',
      repetition: 1 + Math.floor(index / (scenarios.length * agents.length)),
    };
  });
  const lines = cells.map((cell, index) => {
    const run = `${stamp.slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}-mock-default-${id}-${String(index).padStart(8, '0')}`;
    const { scenario: scenario_id, agent, model, variant, repetition } = cell;
    return resultLine({
      id: run,
      sweep: id,
      cell: cell.id,
      scenario_id,
      agent,
      model,
      variant,
      repetition,
      scenario_hash: hash,
      timestamp: stamp,
      results_dir: run,
      ...past.change?.(index),
    });
  });
  for (const { id: run } of lines) {
    const record = { run_id: run, sweep: id, started_at: stamp };
    write(`${run}/artifacts/run.json`, JSON.stringify(record));
    write(`${run}/report.md`, 'x'.repeat(1000));
    if (state !== null) mkdirSync(join(stateOfRun(state, run), 'steps'), { recursive: true });
  }
  if (lines.length > 0)
    appendFileSync(join(results, 'results.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const plan: Plan = {
    schema_version: 1,
    sweep: id,
    created_at: stamp,
    concurrency: 1,
    scenarios: scenarios.map((name) => ({
      name,
      variant: 'default',
      file: `${name}.yaml`,
      path: `/${name}.yaml`,
      hash,
    })),
    agents: {},
    providers: {},
    caps: { agents: {}, models: {} },
    prices: {},
    cache: true,
    max_usd: null,
    project: null,
    hidden: [],
    sandbox: { required: false, allow_loopback: [] },
    cells,
  };
  write(`sweeps/${id}/plan.json`, JSON.stringify(plan));
  if (!open) {
    const document = buildSweepDocument({
      sweep: id,
      workflowId: `sweep/${id}`,
      uiUrl: null,
      maxUsd: null,
      status: 'completed',
      cells,
      results: lines,
      resultsPath: results,
    });
    write(`sweeps/${id}/summary.json`, JSON.stringify(document));
    utimesSync(join(results, 'sweeps', id, 'summary.json'), at, at);
  }
  return lines.map((line) => line.id);
}
