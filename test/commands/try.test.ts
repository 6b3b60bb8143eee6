import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProject, type TestProject } from './project.js';

interface Tried {
  tool: string;
  help: string;
  files: string[];
  edit: { file: string; line: number; what: string }[];
  sweep: { totals: object };
}

const HELP = `Keeps an inventory.

Usage: stock [options] <command>

Commands:
  add <item>   add an item
  list         show what is there

Options:
  --version    print the version
  --help       print this
`;

let project: TestProject;
beforeAll(async () => {
  project = await createProject({});
});
afterAll(() => project.remove());

/** Writes a tool that notes its arguments and folder beside itself. */
const tool = (path: string, script: string): Promise<void> =>
  project.write(path, `#!/bin/sh\necho "$PWD $HOME $*" >>"$(dirname "$0")/calls"\n${script}\n`, 0o755);

describe('try', () => {
  test('drafts a scenario that the mock passes, and says what to edit next', async () => {
    await tool(
      'one/stock.sh',
      `case "$*" in --help) cat <<'E'\n${HELP}E\n;; --version) echo 1;; "list --help") echo list;; *) exit 2;; esac`,
    );
    const { exitCode, stdout, stderr } = await project.cli(['try', './one/stock.sh']);
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toMatch(
      /^drafted from `\.\/one\/stock\.sh --help` \(2 commands, 2 options\):\n {2}fixtures\/stock\.yaml\n/,
    );
    expect(stdout).toMatch(/✓ pass +stock +mock\/default +5\/5/);
    const text = (await project.read('fixtures/stock.yaml')).split('\n');
    const places = [...stdout.matchAll(/^ {2}fixtures\/stock\.yaml:(\d+) +(\S.*)$/gm)];
    expect(places).toHaveLength(4);
    for (const [, line, what] of places) expect(text[Number(line) - 1]?.trim()).toBe(`# EDIT: ${what ?? ''}`);
    expect(text).toContain('  binary: ../one/stock.sh');
    expect(text).toContain('    - run: stock.sh list --help');
    expect(await project.read('fixtures/stock/AGENTS.md')).toContain('Keeps an inventory.');
    // The calls of try itself: in an empty folder that is also the HOME, and only what the help says is harmless.
    const calls = (await project.read('one/calls')).split('\n').filter((call) => call.includes('llm-tool-test-try-'));
    expect(calls.map((call) => call.replace(/^(\S+) \1 /, ''))).toEqual(['--help', '--version', 'list --help']);
    expect(existsSync(calls[0]?.split(' ')[0] ?? '/')).toBe(false);
  });

  test('overwrites nothing, and does not start the tool again', async () => {
    const before = await project.read('one/calls');
    const { exitCode, stdout, stderr } = await project.cli(['try', './one/stock.sh', '--json']);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'files_in_the_way' } });
    expect(stderr).toContain('run it with `llm-tool-test run fixtures/stock.yaml`');
    expect(await project.read('one/calls')).toBe(before);
  });

  test('reads help that only `help` prints, and help that is printed as an error', async () => {
    await tool('two/late', `[ "$*" = help ] && echo 'usage: late' || exit 1`);
    await tool('two/angry', `echo 'usage: angry FILE' >&2; exit 64`);
    const late = JSON.parse((await project.cli(['try', './two/late', '--json'])).stdout) as Tried;
    expect(late).toMatchObject({
      tool: './two/late',
      help: './two/late help',
      sweep: { totals: { passed: 1 } },
    });
    expect(late.edit[0]).toMatchObject({
      file: 'fixtures/late.yaml',
      what: 'say in a sentence what is tested',
    });
    const angry = await project.cli(['try', './two/angry', '--json']);
    expect(JSON.parse(angry.stdout)).toMatchObject({
      help: './two/angry --help',
      sweep: { totals: { passed: 1 } },
    });
  });

  test.each([
    ['a name that is not on PATH', 'no-such-tool', 'target_missing', /it is not on PATH; install it, or give its path/],
    ['a path where nothing is', './bin/nothing', 'target_missing', /there is no such file/],
    ['a file that is not executable', './plain', 'target_missing', /run chmod \+x \.\/plain/],
    ['a name that is a file here', 'plain', 'target_missing', /write \.\/plain/],
    [
      'a tool that prints no help',
      './silent',
      'no_help',
      /`\.\/silent -h`: exit 0, printed nothing.*add a --help option to the tool/,
    ],
    ['a tool that waits for input', './asks', 'no_help', /`\.\/asks --help`: exit 3, printed nothing/],
  ])('reports %s, and writes nothing', async (_, name, code, message) => {
    await project.write('plain', 'text');
    await tool('silent', '');
    await tool('asks', 'read answer || exit 3');
    const { exitCode, stdout, stderr } = await project.cli(['try', name, '--json']);
    expect(exitCode).toBe(2);
    expect((JSON.parse(stdout) as { error: { code: string } }).error.code).toBe(code);
    expect(stderr).toMatch(message);
    expect(existsSync(join(project.folder, `fixtures/${name.replace('./', '')}.yaml`))).toBe(false);
  });
});
