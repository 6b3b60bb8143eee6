import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { action } from '../action/action-file.js';
import { REPOSITORY } from '../commands/project.js';
import { blocks, callsIn } from './documents.js';
import { problemOf } from './known-command.js';

interface Workflow {
  permissions?: unknown;
  concurrency?: { group: string };
  jobs: Record<string, { 'timeout-minutes'?: number; permissions?: unknown; steps: { uses?: string; run?: string }[] }>;
}

/** The action of this repository, in an example for others. */
const OWN = 'OWNER/llm-tool-test@v0.1.0';
/** Permissions of a job besides reading: comment on pull requests, sign what it publishes, or publish pages. */
const MORE = [
  undefined,
  { contents: 'read', 'pull-requests': 'write' },
  { 'id-token': 'write' },
  { pages: 'write', 'id-token': 'write' },
];

const folder = join(REPOSITORY, '.github/workflows');
const workflows = [
  ...readdirSync(folder).map((name) => ({ place: name, text: readFileSync(join(folder, name), 'utf8') })),
  ...blocks('yaml').filter(({ text }) => text.includes('\njobs:')),
].map(({ place, text }) => ({ place, text, workflow: parse(text) as Workflow }));

test('finds the workflows of this repository and the examples for others', () => {
  expect(workflows.map(({ place }) => place.replace(/:\d+$/, ''))).toEqual([
    'ci.yml',
    'docs.yml',
    'nightly.yml',
    'release.yml',
    'specs/how-to/ci.md',
    'specs/how-to/ci.md',
  ]);
});

describe.each(workflows)('the workflow $place', ({ text, workflow }) => {
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);

  test('pins every action to a commit and names its version', () => {
    const uses = [...text.matchAll(/uses: *(.*)/g)].map(([, action = '']) => action);
    expect(uses.length).toBe(steps.filter((step) => step.uses !== undefined).length);
    expect(
      uses.filter((action) => action !== OWN && !/^[\w-]+(\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action)),
    ).toEqual([]);
  });

  test('has only the permissions that it needs, a time limit, and no concurrent runs', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const job of jobs) {
      expect(MORE).toContainEqual(job.permissions);
      expect(job['timeout-minutes']).toBeLessThanOrEqual(60);
    }
    expect(workflow.concurrency?.group).toBeTypeOf('string');
    expect(text).not.toContain('pull_request_target:');
  });

  test('calls only existing verbs, options and scripts', async () => {
    const commands = steps.flatMap(({ run = '' }) => run.split('\n'));
    const calls = commands.flatMap(callsIn);
    for (const words of calls) expect(await problemOf(words), words.join(' ')).toBeNull();
    const { scripts } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const named = commands.flatMap((line) => [...line.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name));
    const checks = commands.flatMap((line) => line.match(/\.ci\/[\w-]+/g) ?? []);
    expect(calls.length + named.length + checks.length > 0 || text.includes(OWN)).toBe(true);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    expect(checks.filter((path) => !existsSync(join(REPOSITORY, path)))).toEqual([]);
  });
});

test('pins all actions of the same repository to the same commit', () => {
  const pins = workflows.flatMap(({ text }) => [...text.matchAll(/uses: *([\w-]+\/[\w-]+)\S*@([0-9a-f]{40} # v\S+)/g)]);
  const commits = new Set(pins.map(([, repository = '', commit = '']) => `${repository}@${commit}`));
  expect(commits.size).toBe(new Set(pins.map(([, repository]) => repository)).size);
  expect(commits.size).toBeGreaterThan(2);
});

test('the nightly workflow runs all tests, in shards, on the oldest supported Node and on the newest', () => {
  const { engines } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
    engines: { node: string };
  };
  expect(engines.node).toMatch(/^>=20\./);
  const { workflow, text } = workflows.find(({ place }) => place === 'nightly.yml') ?? {};
  const shard = [1, 2, 3, 4, 5, 6];
  expect(workflow).toMatchObject({ jobs: { test: { strategy: { matrix: { node: [20, 24], shard } } } } });
  expect(text).toContain(`run: npm run test:all -- --shard=\${{ matrix.shard }}/${shard.length}\n`);
});

describe('the release', () => {
  const { text = '', workflow } = workflows.find(({ place }) => place === 'release.yml') ?? {};
  const { pack, publish } = workflow?.jobs ?? {};
  const commandsOf = (job: typeof pack): string[] => (job?.steps ?? []).flatMap(({ run }) => run ?? []);

  test('runs only for tags of versions, and checks the tag before anything else', () => {
    expect(parse(text)).toMatchObject({ on: { push: { tags: ['v*'] } } });
    expect(commandsOf(pack)).toEqual([
      'node scripts/check-release.js "$GITHUB_REF_NAME"',
      'npm ci',
      'npm run check',
      expect.stringMatching(/^npm pkg set repository/),
      'node scripts/check-tarball.js release',
    ]);
  });

  test('publishes with provenance, after the approval of an environment, in a job that runs no other code', () => {
    expect(publish).toMatchObject({
      needs: 'pack',
      environment: 'npm',
      permissions: { 'id-token': 'write' },
    });
    expect(commandsOf(publish)).toEqual(['npm publish ./*.tgz --ignore-scripts --provenance --access public']);
    expect(publish?.steps.some(({ uses = '' }) => uses.startsWith('actions/checkout'))).toBe(false);
    expect(JSON.stringify(pack)).not.toContain('secrets.');
  });
});

test('the action is described with all of its inputs and outputs', () => {
  const page = readFileSync(join(REPOSITORY, 'specs/how-to/ci.md'), 'utf8');
  const described = [...page.matchAll(/^\| `([a-z-]+)` +\|/gm)].map(([, name]) => name);
  expect(described).toEqual(Object.keys(action.inputs));
  for (const name of Object.keys(action.outputs)) expect(page).toMatch(new RegExp(`outputs are .*\`${name}\``));
});
