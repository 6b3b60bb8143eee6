import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { REPOSITORY } from '../commands/project.js';
import { blocks, callsIn } from './documents.js';
import { problemOf } from './known-command.js';

interface Workflow {
  permissions?: unknown;
  concurrency?: { group: string };
  jobs: Record<
    string,
    { 'timeout-minutes'?: number; permissions?: unknown; steps: { uses?: string; run?: string }[] }
  >;
}

const folder = join(REPOSITORY, '.github/workflows');
const workflows = [
  ...readdirSync(folder).map((name) => ({ place: name, text: readFileSync(join(folder, name), 'utf8') })),
  ...blocks('yaml').filter(({ text }) => text.includes('\njobs:')),
].map(({ place, text }) => ({ place, text, workflow: parse(text) as Workflow }));

test('finds the workflows of this repository and the example for others', () => {
  expect(workflows.map(({ place }) => place.replace(/:\d+$/, ''))).toEqual([
    'ci.yml',
    'docs.yml',
    'specs/how-to/ci.md',
  ]);
});

/** Jobs that publish, which need more than to read. They run no code of the repository. */
const GRANTED: Record<string, unknown> = { 'docs.yml deploy': { pages: 'write', 'id-token': 'write' } };

describe.each(workflows)('the workflow $place', ({ place, text, workflow }) => {
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);

  test('pins every action to a commit and names its version', () => {
    const uses = [...text.matchAll(/uses: *(.*)/g)].map(([, action = '']) => action);
    expect(uses.length).toBe(steps.filter((step) => step.uses !== undefined).length);
    expect(
      uses.filter((action) => !/^[\w-]+(\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action)),
    ).toEqual([]);
  });

  test('has only read permission unless it publishes, a time limit, and no concurrent runs', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const [name, job] of Object.entries(workflow.jobs)) {
      expect(job.permissions).toEqual(GRANTED[`${place} ${name}`]);
      if (job.permissions !== undefined) expect(job.steps.filter(({ run }) => run !== undefined)).toEqual([]);
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
    const named = commands.flatMap((line) =>
      [...line.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name),
    );
    expect(calls.length + named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

test('pins all actions of the same repository to the same commit', () => {
  const pins = workflows.flatMap(({ text }) => [
    ...text.matchAll(/uses: *([\w-]+\/[\w-]+)\S*@([0-9a-f]{40} # v\S+)/g),
  ]);
  const commits = new Set(pins.map(([, repository = '', commit = '']) => `${repository}@${commit}`));
  expect(commits.size).toBe(new Set(pins.map(([, repository]) => repository)).size);
  expect(commits.size).toBeGreaterThan(2);
});

test('the workflow of this repository runs the tests on the oldest supported Node and on the newest', () => {
  const { engines } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
    engines: { node: string };
  };
  expect(engines.node).toMatch(/^>=20\./);
  expect(workflows[0]?.workflow).toMatchObject({
    jobs: { test: { strategy: { matrix: { node: [20, 24] } } } },
  });
});
