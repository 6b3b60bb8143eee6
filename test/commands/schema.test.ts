import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { REPOSITORY } from './project.js';

const cli = (...args: string[]) =>
  execa(join(REPOSITORY, 'dist', 'cli.js'), ['schema', ...args], { reject: false, stdin: 'ignore' });
const committed = (name: string): string =>
  readFileSync(join(REPOSITORY, 'schema', `${name}.schema.json`), 'utf8').trimEnd();

describe('schema', () => {
  test.each([
    ['scenario', []],
    ['scenario', ['--json']],
    ['config', ['--config']],
    ['rubric', ['--rubric']],
    ['events', ['--events']],
  ])('prints the schema of a %s file with %j, equal to the one in the package', async (name, args) => {
    const { exitCode, stdout } = await cli(...args);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ $schema: 'http://json-schema.org/draft-07/schema#' });
    expect(stdout, 'schema/ is stale: renew it with `npm run schema`').toBe(committed(name));
  });

  test.each([
    ['--config', '--rubric'],
    ['--events', '--config'],
    ['--rubric', '--events'],
  ])('refuses two kinds at once: %s and %s: exit 2', async (one, other) => {
    const { exitCode, stderr } = await cli(one, other);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(new RegExp(`'(${one}|${other})' cannot be used with option '(${one}|${other})'`));
  });

  test.each(['fixtures/example_basic.yaml', 'fixtures/git_history.yaml', 'fixtures/agent_scripts.yaml'])(
    'is referenced for editors in the first line of %s',
    (file) => {
      const path = join(REPOSITORY, file);
      const [, reference = ''] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(readFileSync(path, 'utf8')) ?? [];
      expect(resolve(dirname(path), reference)).toBe(join(REPOSITORY, 'schema', 'scenario.schema.json'));
    },
  );
});
