import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../src/lib/hash.js';
import { shellWord } from '../../src/lib/commands/command.js';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { createProject, documentOf, filesBelow, openRun, scenario, type TestProject } from './project.js';

/*
 * Text that a shell, a template or JavaScript would evaluate, in every place of a scenario that takes text: it is only
 * ever text. A folder outside of the runs, and the project with its scenarios, stay as they are.
 */

const SECRET = 'outside-of-the-workspace';

/**
 * The texts to write, by their kind. `$CANARY` is the folder outside. A file `planted` shows that a text was executed.
 */
const PAYLOADS: Record<string, string> = {
  'double quotes': '"; touch $CANARY/planted; "',
  'single quotes': "'; touch $CANARY/planted; '",
  'mixed quotes': `it's "quoted" \\' \\"`,
  'command substitution': '$(touch $CANARY/planted)',
  'nested substitution': '"$(echo "$(touch $CANARY/planted)")"',
  backticks: '`touch $CANARY/planted`',
  newline: 'first\ntouch $CANARY/planted\nlast',
  'carriage return': 'first\r\ntouch $CANARY/planted\r\n',
  semicolon: '; touch $CANARY/planted #',
  'and, or, pipe': '&& touch $CANARY/planted || touch $CANARY/planted | touch $CANARY/planted &',
  redirection: '> $CANARY/planted < /etc/passwd',
  'parent folder': '../../../../../../../../tmp/planted',
  'absolute path': '$CANARY/planted',
  option: '--eval=require("fs").writeFileSync("$CANARY/planted","")',
  'short option': '-e',
  glob: '* ~ $HOME ${HOME} ?[a-z]',
  'format string': '%s%n%x %d \\n \\x00',
  template: '${args[0]} ${input.x} $${args[0]} ${context.agent} {{x}} <%= x %>',
  replacement: "$& $1 $` $'",
  'JavaScript string': '\'); require("fs").writeFileSync("$CANARY/planted", ""); (\'',
  'JavaScript template': '`${require("fs").writeFileSync("$CANARY/planted", "")}`',
  JSON: '", "admin": true, "x": "',
  'prototype key': '__proto__',
  HTML: '<script>fetch("/planted")</script>',
  YAML: '!!js/function "function(){}" &a *a',
  'escape sequence': '\u001b[31mred\u001b[0m \u202e',
};

let project: TestProject;
let canary: string;
let before: Record<string, string>;
const payloads: [kind: string, text: string][] = Object.entries(PAYLOADS);
const textOf = (kind: string): string => (PAYLOADS[kind] ?? '').replaceAll('$CANARY', canary);

/** In a response, `$${...}` is the literal `${...}`; it has no other escapes. */
const literally = (text: string): string => text.replaceAll('${', () => '$${');
/** On one line, as names must be, and short enough to be one. */
const oneLine = (text: string): string =>
  text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 100);
/** As a name of a file: without folders. */
const fileName = (text: string): string => oneLine(text).replaceAll('/', '∕');

/** Every place of a file in the form of ElizaOS that takes text. */
function elizaFile(kind: string): object {
  const text = textOf(kind);
  const name = fileName(text);
  const echo = `process.stdout.write(JSON.stringify([process.argv.slice(1), ${JSON.stringify(text)}]))`;
  return {
    name: `eliza ${oneLine(text)}`,
    description: text,
    agent: 'told',
    setup: {
      virtual_fs: { [`files/${name}`]: text, 'arg.txt': text },
      mock_url_variables: ['API_URL'],
      mocks: [
        { command: 'mocked', when: { args: [text, 'exactly'] }, response: `literal ${literally(text)} end` },
        {
          command: 'mocked',
          when: { matcher: `args[0] === ${JSON.stringify(text)} && args[1] === 'matched'` },
          response: 'the matcher saw ${args[0]} end',
        },
        { command: 'mocked', when: { partialArgs: [text] }, response: 'got ${args[0]} end' },
        { command: 'failing', error: { code: 'E', message: text, status: 3 } },
        {
          endpoint: 'POST /echo/{value}',
          when: { input: { body: { text } } },
          response: { value: '${args[0]}', text: '${input.body.text}', literal: literally(text) },
        },
      ],
    },
    run: [
      {
        name: `step ${oneLine(text)}`,
        lang: 'node',
        code: `
          const fs = require('node:fs');
          const { spawnSync } = require('node:child_process');
          const text = fs.readFileSync('arg.txt', 'utf8');
          const call = (name, ...args) => {
            const { stdout, stderr } = spawnSync(name, args, { encoding: 'utf8' });
            return stdout + stderr;
          };
          fetch(process.env.API_URL + '/echo/' + encodeURIComponent(text), {
            method: 'POST',
            body: JSON.stringify({ text }),
          }).then((answer) => answer.json()).then((answer) => {
            const same = {
              code: text === ${JSON.stringify(text)},
              file: fs.readFileSync('files/' + ${JSON.stringify(name)}, 'utf8') === text,
              literal: call('mocked', text, 'exactly') === 'literal ' + text + ' end',
              matched: call('mocked', text, 'matched') === 'the matcher saw ' + text + ' end',
              argument: call('mocked', text) === 'got ' + text + ' end',
              error: call('failing') === 'E: ' + text + '\\n',
              endpoint: answer.value === text && answer.text === text && answer.literal === text,
            };
            console.log(JSON.stringify(same));
          });`,
        evaluations: [
          {
            type: 'string_contains',
            value:
              '{"code":true,"file":true,"literal":true,"matched":true,"argument":true,"error":true,"endpoint":true}',
            name: oneLine(text),
          },
          { type: 'file_exists', path: `files/${name}` },
          { type: 'file_contains', path: 'arg.txt', value: text },
        ],
      },
      {
        lang: 'sh',
        code: `printf %s ${shellWord(text)} >printed.txt && cmp printed.txt arg.txt && echo equal`,
        evaluations: [{ type: 'string_contains', value: 'equal' }],
      },
      {
        lang: 'python',
        code: `import sys; sys.stdout.write(open('arg.txt', newline='').read())`,
        evaluations: [{ type: 'string_contains', value: text.trimEnd(), case_sensitive: true }],
      },
      {
        lang: 'node',
        code: echo,
        evaluations: [
          { type: 'string_contains', value: JSON.stringify(text), case_sensitive: true },
          { type: 'string_contains', value: '[[],', case_sensitive: true },
        ],
      },
      {
        input: `the input: ${text} end`,
        evaluations: [
          {
            type: 'string_contains', // The transcript has lines, whatever ends them.
            value: `the input: ${text.replaceAll('\r\n', '\n')} end`,
            case_sensitive: true,
          },
        ],
      },
    ],
  };
}

/** The same for a file in our own form. */
const ownFile = (kind: string): string => {
  const text = textOf(kind);
  return JSON.stringify(
    {
      name: `own ${oneLine(text)}`,
      description: text,
      template_folder: 'empty',
      target: { binary: 'cat', env: { HOSTILE: literallyInVariables(text) } },
      task: { prompt: `the prompt: ${text} end` },
      setup: { files: { [`files/${fileName(text)}`]: text, 'arg.txt': text } },
      tool_matrix: [{ agent: 'told' }],
      evaluation: {
        gates: [
          { type: 'file_contains', path: `files/${fileName(text)}`, substring: text, name: oneLine(text) },
          { type: 'command_output_contains', command: 'cat arg.txt', substring: text.trimEnd() },
          ...(text.includes('${')
            ? []
            : [{ type: 'command_succeeds', command: 'printf %s "$HOSTILE" | cmp - arg.txt' }]),
        ],
      },
    },
    null,
    2,
  );
};

/** In variables of the target, `${NAME}` is a variable of the shell. */
const literallyInVariables = (text: string): string => (text.includes('${') ? 'x' : text);

/** A scenario that plants symlinks to the folder outside where we write and read afterwards. */
const symlinkFile = (): object => ({
  name: 'symlinks',
  setup: { virtual_fs: { 'folder/file.txt': 'inside', 'note.txt': 'inside' } },
  run: [
    {
      code: [
        `rm -r folder && ln -s ${canary} folder`,
        `ln -sf ${canary}/secret.txt note.txt`,
        `ln -s ${canary} link`,
        'ln -s ../.. up',
        'ln -s /etc/passwd passwd.txt',
        'ln -s loop loop',
        `ln -s ${canary}/planted dangling`,
        `ln -s ${canary} artifacts`,
      ].join(' && '),
      evaluations: [
        { type: 'file_exists', path: 'folder/secret.txt' },
        { type: 'file_contains', path: 'note.txt', value: SECRET },
        { type: 'file_exists', path: 'link/secret.txt' },
        { type: 'file_contains', path: 'passwd.txt', value: 'root' },
        { type: 'file_exists', path: 'loop' },
        { type: 'file_exists', path: 'dangling' },
      ],
    },
  ],
});

const CONFIG = '[agents.told]\ncommand = "printf"\nargs = ["%s"]\nfree = true\n';

beforeAll(async () => {
  canary = await realpath(await mkdtemp(join(tmpdir(), 'llm-tool-test-canary-')));
  await writeFile(join(canary, 'secret.txt'), SECRET);
  await symlink(join(canary, 'secret.txt'), join(canary, 'link.txt'));
  project = await createProject({ 'llm-tool-test-config.toml': CONFIG, 'fixtures/empty/README.md': 'x' });
  for (const [index, [kind]] of payloads.entries()) {
    await project.write(`eliza/${index}.scenario.yaml`, JSON.stringify(elizaFile(kind)));
    await project.write(`fixtures/own/${index}.yaml`, ownFile(kind));
  }
  await project.write('symlinks.scenario.yaml', JSON.stringify(symlinkFile()));
  await mkdir(join(project.folder, 'refused'));
  before = outside();
});
afterAll(async () => {
  await project.remove();
  await rm(canary, { recursive: true, force: true });
});

/** Everything outside of the runs: the canary, and the project with its scenarios. Symlinks are not followed. */
const outside = (): Record<string, string> => ({ ...treeOf(canary), ...treeOf(project.folder) });

/** Every entry below a folder, except in results: its kind, and the hash of its content. */
function treeOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { withFileTypes: true }).flatMap((entry): [string, string][] => {
    const path = join(folder, entry.name);
    if (path === project.results) return [];
    if (entry.isDirectory()) return [[path, 'folder'], ...Object.entries(treeOf(path))];
    return [[path, entry.isFile() ? sha256(readFileSync(path)) : `to ${readlinkSync(path)}`]];
  });
  return Object.fromEntries(entries);
}

/** Nothing outside has changed, and nothing that a text would have created exists anywhere. */
async function expectUntouched(): Promise<void> {
  expect(outside()).toEqual(before);
  expect((await readdir(canary)).sort()).toEqual(['link.txt', 'secret.txt']);
  const places = [process.cwd(), tmpdir(), dirname(project.folder), '/'];
  expect(places.filter((place) => existsSync(join(place, 'planted')))).toEqual([]);
  const made = [...(await filesBelow(project.folder)), ...(await filesBelow(project.state))];
  expect(made.filter((path) => basename(path) === 'planted')).toEqual([]);
}

const outcomesOf = ({ cells }: SweepDocument): unknown[] =>
  cells.filter(({ outcome }) => outcome !== 'pass').map(({ scenario: name, message }) => [name, message]);

describe('hostile text', () => {
  it('is only text in every place of a file in the form of ElizaOS', async () => {
    const { document } = await project.run([
      ...payloads.map((_, index) => `eliza/${index}.scenario.yaml`),
      '--no-cache',
    ]);
    expect(document.cells).toHaveLength(payloads.length);
    expect(outcomesOf(document)).toEqual([]);
    await expectUntouched();
  });

  it('is only text in every place of a file in our own form', async () => {
    const { document } = await project.run(['fixtures/own', '--no-cache']);
    expect(document.cells).toHaveLength(payloads.length);
    expect(outcomesOf(document)).toEqual([]);
    await expectUntouched();
  });
});

describe('symlinks that code plants', () => {
  it('lead neither evaluations nor the copy of the workspace outside', async () => {
    const { stdout } = await project.cli(['scenario', 'run', 'symlinks.scenario.yaml', '--json']);
    const { metrics, path } = await openRun(documentOf(stdout));
    expect(metrics.details.map(({ status }) => status)).not.toContain('pass');
    const copied = await filesBelow(path('.'));
    for (const file of copied) expect(await readFile(file, 'utf8'), file).not.toContain(SECRET.repeat(2));
    const inFixture = copied.filter((file) => file.startsWith(path('fixture')));
    for (const file of inFixture) expect(await readFile(file, 'utf8'), file).not.toContain(SECRET);
    await expectUntouched();
  });
});

describe('a file is refused, and nothing is started, if', () => {
  const step = { code: 'true' };
  const file = (setup: object, steps: object[] = [step]): object => ({ name: 'refused', setup, run: steps });
  const mock = (one: object): object => file({ mocks: [one] });
  const REFUSED: [what: string, file: object, message: RegExp][] = [
    ['the name of a file leaves the workspace', file({ virtual_fs: { '../planted': 'x' } }), /workspace/],
    ['it does so after a detour', file({ virtual_fs: { 'a/../../planted': 'x' } }), /workspace/],
    ['it is an absolute path', file({ virtual_fs: { '/tmp/planted': 'x' } }), /workspace/],
    ['it contains NUL', file({ virtual_fs: { 'a\0b': 'x' } }), /NUL/],
    [
      'an evaluation reads outside',
      file({}, [{ ...step, evaluations: [{ type: 'file_exists', path: '../x' }] }]),
      /workspace/,
    ],
    [
      'it reads an absolute path',
      file({}, [{ ...step, evaluations: [{ type: 'file_contains', path: '/etc/passwd', value: 'x' }] }]),
      /workspace/,
    ],
    ['a language is a shell command', file({}, [{ lang: 'sh; touch planted', code: 'x' }]), /name of a program/],
    ['a language is a path', file({}, [{ lang: '../sh', code: 'x' }]), /name of a program/],
    ['a language is an option', file({}, [{ lang: '-c', code: 'x' }]), /name of a program/],
    ['the name of a step has several lines', file({}, [{ ...step, name: 'a\ntouch planted' }]), /one line/],
    ['code contains NUL', file({}, [{ code: 'a\0b' }]), /NUL/],
    ['a mocked command is a path', mock({ command: '../gh' }), /name of a command/],
    ['a mocked command is a substitution', mock({ command: '$(touch planted)' }), /name of a command/],
    ['a mocked command is sh', mock({ command: 'sh' }), /sh cannot be mocked/],
    [
      'a response has an unknown placeholder',
      mock({ command: 'gh', response: '${process.env}' }),
      /unknown placeholder/,
    ],
    ['a placeholder is a call', mock({ command: 'gh', response: '${args[0].constructor()}' }), /unknown placeholder/],
    ['a response is a function', mock({ command: 'gh', responseFn: '() => process.exit()' }), /JavaScript is not run/],
    [
      'a matcher is not one expression',
      mock({ command: 'gh', when: { matcher: '1); process.exit(); (2' } }),
      /JavaScript expression/,
    ],
    ['a matcher is a statement', mock({ command: 'gh', when: { matcher: 'while(true);' } }), /JavaScript expression/],
    ['an endpoint leaves its root', mock({ endpoint: 'GET /../x' }), /expected a method and a path/],
    ['an endpoint has a line break', mock({ endpoint: 'GET /x\r\nX-Evil: 1' }), /expected a method and a path/],
    ['a header has a line break', mock({ endpoint: 'GET /', headers: { a: 'b\r\nX-Evil: 1' } }), /one line/],
    [
      'a variable replaces PATH',
      file({ mocks: [{ endpoint: 'GET /' }], mock_url_variables: ['PATH'] }),
      /another name/,
    ],
    [
      'a variable is code',
      file({ mocks: [{ endpoint: 'GET /' }], mock_url_variables: ['X=$(touch planted)'] }),
      /name of a variable/,
    ],
  ];

  it.each(REFUSED)('%s', async (_, content, message) => {
    const known = (await project.resultLines()).length;
    await project.write('refused/x.scenario.yaml', JSON.stringify(content));
    const { exitCode, stdout, stderr } = await project.cli(['scenario', 'run', 'refused/x.scenario.yaml']);
    expect(stdout + stderr).toMatch(message);
    expect(stdout + stderr).toMatch(/refused\/x\.scenario\.yaml:1:\d+/);
    expect(exitCode).toBe(2);
    expect((await project.resultLines()).length).toBe(known);
  });

  it('nothing of these changes anything outside', async () => {
    await project.cli(['validate', 'refused/x.scenario.yaml']);
    const now = Object.fromEntries(Object.entries(outside()).filter(([path]) => !path.includes('/refused/')));
    expect(now).toEqual(before);
  });
});

describe('a scenario in our own form is refused', () => {
  it('if the name of a file leaves the workspace', async () => {
    await project.write('outside.yaml', scenario('outside', { more: 'setup: {files: {"../planted": x}}' }));
    const { exitCode, stdout, stderr } = await project.cli(['run', 'outside.yaml', '--agents', 'mock']);
    expect(stdout + stderr).toContain('workspace');
    expect(exitCode).toBe(2);
  });
});
