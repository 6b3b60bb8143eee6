import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProject, type TestProject } from '../commands/project.js';

let project: TestProject;
beforeAll(async () => {
  project = await createProject({});
});
afterAll(() => project.remove());

const tool = (path: string, script: string): Promise<void> => project.write(path, `#!/bin/sh\n${script}\n`, 0o755);

describe('try', () => {
  test('ends a tool that goes on, and keeps only the beginning of endless help', async () => {
    await tool('endless', `[ "$1" = --help ] && { echo 'usage: endless'; exec yes; }; exit 1`);
    await tool('long', `echo 'usage: long'; head -c 3000000 /dev/zero | tr '\\0' x`);
    const { exitCode, stderr } = await project.cli(['try', './endless', '--json']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('`./endless --help`: timed out after 10 s')]);
    const long = await project.cli(['try', './long', '--json']);
    expect([long.exitCode, long.stderr]).toEqual([0, expect.any(String)]);
    expect((await project.read('fixtures/long.yaml')).length).toBeLessThan(5000);
  });
});
