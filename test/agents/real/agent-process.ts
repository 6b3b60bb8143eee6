import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectState } from '../../../src/host/folders.js';
import { stateOfRun } from '../../../src/store/results-folder.js';
import type { TestProject } from '../../commands/project.js';

/** The process id of the supervisor of a run's agent. When it is killed, the agent ends without an exit status. */
export async function agentPid(project: TestProject, run: string): Promise<number> {
  const { folder } = projectState(project.results, project.state);
  const claim = await readFile(join(stateOfRun(folder, run), 'agent', '1', 'sup'), 'utf8');
  return Number.parseInt(claim, 10);
}
