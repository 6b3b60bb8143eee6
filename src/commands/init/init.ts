import { relative, resolve } from 'node:path';
import { planFiles } from './plan-files.js';
import { writeNewFiles } from '../shared/new-files.js';
import { printJson } from '../shared/output.js';
import { invocation } from '../../platform/invocation.js';
import { displayPath } from '../../platform/display-path.js';

/** `init`: creates a config, a scenario and its fixture, ready to run. Creates all files or none; overwrites none. */
export function init(dir: string, { json, template }: { json: boolean; template: Template }): number {
  const folder = resolve(dir);
  const files = planFiles(folder, TEMPLATES[template].files);
  writeNewFiles(folder, files);
  const next = nextCommands(folder, TEMPLATES[template]);
  const paths = files.map(({ path }) => path);
  if (json) printJson({ folder, files: paths, next: next.map(({ command }) => command) });
  else process.stdout.write(describe(folder, paths, next, TEMPLATES[template].read));
  return 0;
}

/** What `init` can create, by name. */
const TEMPLATES = {
  default: {
    files: 'init',
    run: [['run stock_delivery', 'run it with the free mock agent (takes seconds)']],
    read: 'fixtures/stock_delivery.yaml',
  },
  eliza: {
    files: 'eliza',
    run: [
      [
        'scenario run fixtures/shopping.scenario.yaml',
        'run it with a free stand-in for an agent (takes seconds)',
      ],
      ['scenario matrix fixtures/shopping.matrix.yaml', 'run it with several wordings of its input'],
    ],
    read: 'fixtures/shopping.scenario.yaml',
  },
} as const;
type Template = keyof typeof TEMPLATES;

interface Step {
  command: string;
  does: string;
}

function nextCommands(folder: string, { run }: (typeof TEMPLATES)[Template]): Step[] {
  const relativePath = relative(process.cwd(), folder);
  return [
    ...(relativePath === ''
      ? []
      : [{ command: `cd ${relativePath.startsWith('../..') ? folder : relativePath}`, does: '' }]),
    ...run.map(([command, does]) => ({ command: `${invocation} ${command}`, does })),
    { command: `${invocation} doctor`, does: 'check what is missing on this machine' },
  ];
}

function describe(folder: string, files: readonly string[], next: readonly Step[], read: string): string {
  const width = Math.max(...next.map(({ command }) => command.length));
  return [
    `created in ${displayPath(folder)}:`,
    ...files.map((path) => `  ${path}`),
    '',
    'next:',
    ...next.map(({ command, does }) => `  ${command.padEnd(width)}  ${does}`.trimEnd()),
    '',
    `then read ${read}, which explains it`,
    '',
  ].join('\n');
}
