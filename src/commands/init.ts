import { appendFileSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { displayPath, invocation, ownCommand, packageFile } from '#host';
import { UsageError } from '#lib';
import { openProject } from '#planning';
import { type Example, examplesFolder, findExample, findExamples } from './shared/examples.js';
import { findInstalledSchemas, schemaPath } from './shared/find-schemas.js';
import { extendIgnoreFile, newIgnoreFile } from './shared/ignore-file.js';
import { type NewFile, writeNewFiles } from './shared/new-files.js';
import { printJson, printNotice } from './shared/output.js';

export interface InitOptions {
  json: boolean;
  template: keyof typeof TEMPLATES;
  /** An example of the package to create instead; `true` lists them. */
  example?: string | true;
  /** A template to add to an existing project. */
  add?: Exclude<keyof typeof TEMPLATES, 'default'>;
}

/**
 * `init`: creates a config, a scenario and its fixture, ready to run. Creates all files or none; overwrites none. Adds
 * the results folder to .gitignore.
 */
export function init(dir: string, { json, template, example, add }: InitOptions): number {
  if (example === true) return listExamples(json);
  if (add !== undefined) return addTemplate(dir, add, json);
  const folder = resolve(dir);
  const { sources, run, read } = example === undefined ? TEMPLATES[template] : contentOf(findExample(example), folder);
  const files = [...planFiles(folder, sources()), ...newIgnoreFile(folder)];
  writeNewFiles(folder, files);
  const paths = files.map(({ path }) => path);
  const changed = paths.includes('.gitignore') ? [] : extendIgnoreFile(folder);
  const changes = changed.map((path) => `${path}: git ignores the results folder`);
  const next = nextCommands(folder, run);
  if (json) printJson({ folder, files: paths, changed, next: next.map(({ command }) => command) });
  else process.stdout.write(describe(folder, paths, changes, next, read));
  return 0;
}

/**
 * `init --add`: adds a template to the project of a folder: its scenarios to the fixtures folder, and the agent that
 * they need to the config file. Adds all or nothing.
 */
function addTemplate(dir: string, name: NonNullable<InitOptions['add']>, json: boolean): number {
  const { root, config, configFile, fixturesPath } = openProject(undefined, resolve(dir));
  if (configFile === null)
    throw new UsageError(
      'usage',
      `${displayPath(resolve(dir))} is in no project: there is no ${CONFIG}; create one with ${ownCommand(`init --template ${name}`)}`,
    );
  const { sources, run, read, agent }: Content = TEMPLATES[name];
  if (agent !== undefined && Object.hasOwn(config.agents, agent))
    throw new UsageError(
      'files_in_the_way',
      `nothing was written because ${displayPath(configFile)} has an agent ${agent}`,
    );
  const inProject = (path: string): string => path.replace(/^fixtures(?=\/)/, relative(root, fixturesPath));
  const files = planFiles(
    root,
    sources().map((source) => ({ ...source, placeOf: inProject })),
  ).filter(({ path }) => path !== CONFIG);
  writeNewFiles(root, files);
  const changed = agent === undefined ? [] : addAgent(configFile, name);
  const next = nextCommands(
    root,
    run.map(([command, does]) => [command.replace(/fixtures\/\S+/, inProject), does]),
  );
  const paths = files.map(({ path }) => path);
  if (json) printJson({ folder: root, files: paths, changed, next: next.map(({ command }) => command) });
  else
    process.stdout.write(
      describe(
        root,
        paths,
        changed.map((path) => `${path}: it defines the agent ${agent ?? ''}`),
        next,
        inProject(read),
      ),
    );
  return 0;
}

/** Appends the agent of a template to the config file. Returns the file's path if it was changed. */
function addAgent(configFile: string, template: string): string[] {
  const [, ...tables] = readFileSync(packageFile(`dist/templates/${template}/${CONFIG}`), 'utf8').split('\n\n');
  try {
    const before = readFileSync(configFile, 'utf8');
    appendFileSync(configFile, `${before === '' || before.endsWith('\n') ? '' : '\n'}\n${tables.join('\n\n')}`);
    return [CONFIG];
  } catch (error) {
    printNotice(
      `warning: ${CONFIG} could not be changed (${(error as Error).message}); add to it:\n${tables.join('\n\n')}`,
    );
    return [];
  }
}

function listExamples(json: boolean): number {
  const examples = findExamples().map(({ name, description, scenarios }) => ({
    name,
    description,
    scenarios,
  }));
  if (json) printJson({ examples });
  else {
    const width = Math.max(...examples.map(({ name }) => name.length));
    const lines = examples.map(({ name, description }) => `${name.padEnd(width)}  ${description}`);
    process.stdout.write(`${lines.join('\n')}\n\ncreate one with ${ownCommand('init --example <name>')}\n`);
  }
  return 0;
}

/** The content that `init` creates: the files, what to do with them, and what to read first. */
interface Content {
  sources: () => Source[];
  run: readonly (readonly [command: string, does: string])[];
  read: string;
  /** The agent that its config file defines, for its scenarios. */
  agent?: string;
}

const CONFIG = 'llm-tool-test-config.toml';

/** The templates of `init`, by name. */
const TEMPLATES = {
  default: {
    sources: () => [{ from: packageFile('dist/templates/init'), to: '' }],
    run: [['run stock_delivery', 'run it with the free mock agent (takes seconds)']],
    read: 'fixtures/stock_delivery.yaml',
  },
  eliza: {
    sources: () => [{ from: packageFile('dist/templates/eliza'), to: '' }],
    run: [
      ['scenario run fixtures/shopping.scenario.yaml', 'run it with a free stand-in for an agent (takes seconds)'],
      ['scenario matrix fixtures/shopping.matrix.yaml', 'run it with several wordings of its input'],
    ],
    read: 'fixtures/shopping.scenario.yaml',
    agent: 'stand-in',
  },
  skill: {
    sources: () => [{ from: packageFile('dist/templates/skill'), to: '' }],
    run: [
      ['run invoice_totals invoice_near_miss', 'run the skill with the free mock agent (takes seconds)'],
      ['compare latest --variants without,with', 'tell whether the skill has helped'],
    ],
    read: 'fixtures/invoice_totals.yaml',
  },
  mcp: {
    sources: () => [{ from: packageFile('dist/templates/mcp'), to: '' }],
    run: [
      ['run order_lamps order_near_miss', 'run the MCP server with the free mock agent (takes seconds)'],
      ['compare latest --variants without,with', 'tell whether the server has helped'],
    ],
    read: 'fixtures/order_lamps.yaml',
  },
  acp: {
    sources: () => [{ from: packageFile('dist/templates/acp'), to: '' }],
    run: [['run lamp_list', 'run it with a free stand-in for an agent over ACP (takes seconds)']],
    read: 'fixtures/lamp_list.yaml',
    agent: 'acp-stand-in',
  },
  harbor: {
    sources: () => [
      { from: packageFile('dist/templates/init'), paths: [CONFIG], to: '' },
      { from: packageFile('dist/templates/harbor'), to: '' },
    ],
    run: [
      ['run greeting --agents oracle,nop', 'show that its solution passes, and doing nothing does not (needs Docker)'],
    ],
    read: 'fixtures/greeting/task.toml',
  },
} satisfies Record<string, Content>;

/** An example is often added to a project that has a config. */
const contentOf = ({ paths, scenarios: [first = ''] }: Example, folder: string): Content => ({
  sources: () => [
    ...(existsSync(join(folder, CONFIG))
      ? []
      : [{ from: packageFile('dist/templates/init'), paths: [CONFIG], to: '' }]),
    { from: examplesFolder(), paths, to: 'fixtures' },
  ],
  run: [
    [`run fixtures/${first}.yaml --dry-run`, 'show which agents it runs with'],
    [`run fixtures/${first}.yaml`, 'run it'],
  ],
  read: `fixtures/${first}.yaml`,
});

interface Step {
  command: string;
  does: string;
}

function nextCommands(folder: string, run: Content['run']): Step[] {
  const relativePath = relative(process.cwd(), folder);
  return [
    ...(relativePath === ''
      ? []
      : [{ command: `cd ${relativePath.startsWith('../..') ? folder : relativePath}`, does: '' }]),
    ...run.map(([command, does]) => ({ command: `${invocation()} ${command}`, does })),
    { command: `${invocation()} doctor`, does: 'check what is missing on this machine' },
  ];
}

function describe(
  folder: string,
  files: readonly string[],
  changes: readonly string[],
  next: readonly Step[],
  read: string,
): string {
  const width = Math.max(...next.map(({ command }) => command.length));
  return [
    `created in ${displayPath(folder)}:`,
    ...files.map((path) => `  ${path}`),
    ...changes.map((change) => `changed ${change}`),
    '',
    'next:',
    ...next.map(({ command, does }) => `  ${command.padEnd(width)}  ${does}`.trimEnd()),
    '',
    `then read ${read}, which explains it`,
    '',
  ].join('\n');
}

/** Where schemas for editors are copied if the package is not installed in the project (`npx`, a global install). */
const COPIED = '.llm-tool-test';
const SCHEMA_LINE = /^(# yaml-language-server: \$schema=|#:schema )\S*\/(\w+\.schema\.json)$/m;

/** Files of the package to copy: where they are, which of them, and the folder that gets them. */
export interface Source {
  from: string;
  /** Files and folders; all if absent. */
  paths?: readonly string[];
  to: string;
  /** The place of a file in the folder, if it is another one. */
  placeOf?: (path: string) => string;
}

/** Returns the files for `init` to create in a folder. Writes nothing, and only looks for `node_modules` there. */
export function planFiles(folder: string, sources: readonly Source[]): NewFile[] {
  const installed = findInstalledSchemas(folder);
  const schemas = installed ?? join(folder, COPIED);
  const named = new Set<string>();
  const files = sources.flatMap(filesOf).map(({ file, path }): NewFile => {
    const content = readFileSync(file, 'utf8').replace(SCHEMA_LINE, (_, before: string, name: string) => {
      named.add(name);
      return before + schemaPath(dirname(join(folder, path)), join(schemas, name));
    });
    return { path, content, mode: (statSync(file).mode & 0o111) === 0 ? 0o644 : 0o755 };
  });
  if (installed !== null) return files;
  // Another example or `init` may have copied them already.
  const copies = [...named]
    .filter((name) => !existsSync(join(folder, COPIED, name)))
    .map((name) => ({
      path: join(COPIED, name),
      content: readFileSync(packageFile(`schema/${name}`), 'utf8'),
      mode: 0o644,
    }));
  return [...files, ...copies];
}

const filesOf = ({ from, paths = [''], to, placeOf = (path) => path }: Source): { file: string; path: string }[] =>
  paths
    .flatMap((path) => filesBelow(join(from, path)))
    .sort()
    .map((file) => ({ file, path: placeOf(join(to, relative(from, file))) }));

const filesBelow = (path: string): string[] =>
  statSync(path).isFile()
    ? [path]
    : readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
