import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectState } from '../../../src/platform/folders.js';
import type { TestProject } from '../../commands/project.js';

/** Process id of the supervisor of a run's agent: with it all of the agent ends, and no exit status is written. */
export async function agentPid(project: TestProject, run: string): Promise<number> {
  const { folder } = projectState(project.results, project.state);
  const claim = await readFile(join(folder, 'work', run, 'agent', '1', 'sup'), 'utf8');
  return Number.parseInt(claim, 10);
}
