import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { CLI } from '../commands/project.js';

const TOOL = 'fixtures/stock_delivery/bin/stock';

/**
 * Makes a git repository with the scenario that `init` creates. The branch `worse` is a pull request's commit after
 * that of `main`: its tool books one piece too few. `corrected` is the one after it.
 */
export async function stockRepository(folder: string): Promise<void> {
  await mkdir(folder);
  const git = (...args: string[]) =>
    execa('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], { cwd: folder });
  const commit = async (branch: string, message: string): Promise<void> => {
    await git('add', '--all');
    await git('commit', '--quiet', '--message', message);
    await git('branch', '--force', branch);
  };
  await git('init', '--quiet', '--initial-branch', 'trunk');
  await execa(CLI, ['init'], { cwd: folder });
  await writeFile(join(folder, '.gitignore'), 'llm-tool-test-results/\nnode_modules/\n');
  await commit('main', 'A tool and a scenario');
  const tool = join(folder, TOOL);
  const correct = await readFile(tool, 'utf8');
  await writeFile(tool, worsened(correct));
  await chmod(tool, 0o755);
  await commit('worse', 'Count faster');
  await writeFile(tool, `${correct}# counts faster\n`);
  await chmod(tool, 0o755);
  await commit('corrected', 'Count right');
}

function worsened(tool: string): string {
  const changed = tool.replace('before + $3$2', 'before + $3$2 - 1');
  if (changed === tool) throw new Error('the tool of the scenario counts in another way now');
  return changed;
}
