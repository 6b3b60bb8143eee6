import { basename, dirname, join } from 'node:path';
import type { AgentRequest, LaunchFile } from './agent.js';

/** The folders above a folder, from its own parent to the root. */
export function foldersAbove(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [] : [above, ...foldersAbove(above)];
}

/**
 * A file that makes agents stop looking for skills above the workspace: they stop at a folder with `.git`. git itself
 * ignores a `.git` that is no repository. None in a container, where there is nothing of the user.
 */
export const endOfProject = ({ workspace, hasNode }: Pick<AgentRequest, 'workspace' | 'hasNode'>): LaunchFile[] =>
  hasNode
    ? [
        {
          path: join(dirname(workspace), '.git', 'README'),
          content: 'Agents look for skills up to the folder that contains .git. This is no repository.\n',
        },
      ]
    : [];

/**
 * An empty repository in the folder of the run, for agents that read the folders above up to the root of a repository
 * that git itself accepts. To git, the workspace is then a folder of this repository, unless it has its own; the other
 * folders of the run are ignored. None in a container.
 */
export const emptyRepository = ({ workspace, hasNode }: Pick<AgentRequest, 'workspace' | 'hasNode'>): LaunchFile[] => {
  const git = join(dirname(workspace), '.git');
  return hasNode
    ? [
        { path: join(git, 'HEAD'), content: 'ref: refs/heads/main\n' },
        { path: join(git, 'objects', '.keep'), content: '' },
        { path: join(git, 'refs', '.keep'), content: '' },
        { path: join(git, 'info', 'exclude'), content: `/*\n!/${basename(workspace)}/\n` },
      ]
    : [];
};
