import { chownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RUN_FOLDERS } from '../../src/environments/run-folders.js';
import { stateOfRun } from '../../src/store/results-folder.js';
import { stateOf } from './engine-parts.js';
import {
  createProject,
  documentOf,
  EMPTY_FIXTURE,
  openRun,
  REPOSITORY,
  scenario,
  type TestProject,
} from './project.js';

/** Modes do not restrict root, so the command line runs as another user. */
const NOBODY = 65534;
const asUser = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

const GATES = [
  '{type: file_contains, path: notes.txt, substring: done}',
  '{type: command_succeeds, command: "grep done notes.txt"}',
];
/** The last command of each agent, the environment it runs in, and a command of a gate of its scenario. */
const SHUT: { last: string; place?: string; gate?: string }[] = [
  { last: 'chmod 000 .' },
  { last: 'chmod 000 .', place: 'auto' },
  { last: 'mkdir -p deep/er; touch deep/er/x; chmod 000 deep/er deep .' },
  { last: 'chmod 000 .. .' },
  { last: 'chmod 000 ../agent/1 ../agent .. .' },
  { last: 'true', gate: 'test -e ../once || { touch ../once; chmod 000 ..; }' },
];

let project: TestProject;
beforeAll(async () => {
  project = await createProject(EMPTY_FIXTURE, { ownEngine: true });
  for (const [index, { last, place = 'local', gate = 'true' }] of SHUT.entries())
    await project.write(
      `fixtures/shut-${index}.yaml`,
      scenario(`shut-${index}`, {
        gates: [`{type: command_succeeds, command: '${gate}'}`, ...GATES],
        steps: [`run: 'echo done >notes.txt; ${last}'`],
        more: `environment: {type: ${place}}`,
      }),
    );
  if ('uid' in asUser)
    for (const folder of [project.folder, project.state])
      for (const path of ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })])
        chownSync(join(folder, path), NOBODY, NOBODY);
});
afterAll(() => project.remove());

test('an agent that removes all access rights of its workspace or run folder is checked by its gates, and the folders are removed', async () => {
  const { exitCode, stdout, stderr } = await execa(
    process.execPath,
    [join(REPOSITORY, 'dist', 'cli.js'), 'run', '--all', '--json'],
    {
      cwd: project.folder,
      reject: false,
      stdin: 'ignore',
      ...asUser,
      env: { ...project.env, HOME: project.folder },
    },
  );
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  const document = documentOf(stdout);
  expect(document.totals).toMatchObject({ cells: SHUT.length, passed: SHUT.length });
  for (const index of SHUT.keys()) {
    const { run, text } = await openRun(document, index);
    expect(run.starts).toBe(1);
    expect(await text('fixture/notes.txt')).toBe('done\n');
    const left = readdirSync(stateOfRun(stateOf(project), run.run_id));
    expect(
      left.filter((name) => name.startsWith('workspace') || Object.values<string>(RUN_FOLDERS).includes(name)),
    ).toEqual([]);
  }
});
