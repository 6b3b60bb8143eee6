import { expect } from 'vitest';
import { markedProcesses } from '../../src/host/process/marked-processes.js';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { opaqueId } from '../../src/store/results-folder.js';
import { gatedCommand } from '../commands/gated.js';
import { openRun, scenario, type TestProject } from '../commands/project.js';

/** Writes a scenario whose agent prints before and after it waits for the test, with a gate on the file it writes. */
export const writeWaiting = (project: TestProject, name: string): Promise<void> =>
  project.write(
    `fixtures/${name}.yaml`,
    scenario(name, {
      gates: ['{type: file_contains, path: out.txt, substring: after}'],
      steps: [
        'say: before the wait',
        `run: '${gatedCommand(project, name)}; echo after > out.txt'`,
        'say: after the wait',
      ],
    }),
  );

/** Expects that nothing of the run is missing, duplicated or left over. Returns the history of its agent. */
export async function expectWhole(project: TestProject, document: SweepDocument): Promise<string[]> {
  const { run, text } = await openRun(document);
  expect(run.outcome).toBe('pass');
  const raw = await text('artifacts/transcript.raw.txt');
  expect(raw.match(/before the wait/g)).toHaveLength(1);
  expect(raw.match(/after the wait/g)).toHaveLength(1);
  expect((await project.resultLines()).filter(({ id }) => id === run.run_id)).toHaveLength(1);
  expect(markedProcesses(opaqueId(run.run_id))).toEqual([]);
  return run.agent?.history ?? [];
}
