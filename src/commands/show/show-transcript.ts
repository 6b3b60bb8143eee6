import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { UsageError } from '../../lib/errors/usage-error.js';
import { renderHumanTranscript } from '../../reports/human-transcript.js';
import { RunRecord } from '../../results/records/run-record.js';
import { NO_USAGE } from '../../results/records/token-usage.js';
import { displayPath } from '../../platform/display-path.js';
import { readEvents } from '../../store/read-events.js';
import { runFiles } from '../../store/results-folder.js';
import { readResultsFile } from '../../store/read-results-file.js';
import { printJson } from '../shared/output.js';

/**
 * Prints the whole conversation of a run, or its events as JSON.
 *
 * @throws UsageError if they cannot be read
 */
export async function showTranscript(folder: string, json: boolean): Promise<void> {
  const files = runFiles(folder);
  const run = readResultsFile(files.run, RunRecord);
  const { agent, scenario } = run;
  const exists = existsSync(files.events);
  if (!exists && agent !== null)
    throw new UsageError('results_broken', `${displayPath(files.events)} does not exist`);
  if (json) {
    printJson({ run_id: run.run_id, events: exists ? [...readEvents(files.events)] : [] });
    return;
  }
  if (!exists) {
    const why = scenario.prompt === null ? 'no agent took part' : 'the agent was not started';
    process.stdout.write(`no transcript: ${why}\n`);
    return;
  }
  const head = {
    ...{ scenario: scenario.name, agent: run.agent_name, model: run.model, prompt: scenario.prompt ?? '' },
    used: agent ?? { token_usage: NO_USAGE, cost_usd: null },
  };
  for (const piece of renderHumanTranscript(head, readEvents(files.events), { whole: true }))
    if (!process.stdout.write(piece)) await once(process.stdout, 'drain');
}
