import { execa } from 'execa';

const MAX_MS = 60_000;

/** The settings of a repository must not start programs of its own, or reach others. */
const APART = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_NO_LAZY_FETCH: '1' };
const SET = ['safe.directory=*', 'core.fsmonitor=false', 'log.showRoot=true'].flatMap((one) => ['-c', one]);

const LISTS = [
  // Not `rev-list --objects`, which names a content once, by any one of its paths.
  ['log', '--all', '--reflog', '-m', '--no-renames', '--name-only', '--format=', '-z'],
  ['ls-files', '-z'],
];

/** All paths in the history and the index of a repository, given by its own folder; null if git cannot tell. */
export async function pathsInHistory(repository: string): Promise<string[] | null> {
  const listed = await Promise.all(
    LISTS.map((list) =>
      execa('git', [...SET, '--git-dir', repository, '--work-tree', '/', ...list], {
        env: { PATH: process.env['PATH'], ...APART },
        extendEnv: false,
        cwd: '/',
        reject: false,
        timeout: MAX_MS,
        stdin: 'ignore',
      }),
    ),
  );
  return listed.some(({ failed }) => failed)
    ? null
    : [...new Set(listed.flatMap(({ stdout }) => stdout.split('\0')))].filter((path) => path !== '');
}
