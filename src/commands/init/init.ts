import { relative, resolve } from 'node:path';
import { planFiles } from './plan-files.js';
import { writeNewFiles } from '../shared/new-files.js';
import { printJson } from '../shared/output.js';
import { invocation } from '../../platform/invocation.js';
import { displayPath } from '../../platform/display-path.js';

/** `init`: creates a config, a scenario and its fixture, ready to run. Creates all files or none; overwrites none. */
export function init(dir: string, { json }: { json: boolean }): number {
  const folder = resolve(dir);
  const files = planFiles(folder);
  writeNewFiles(folder, files);
  const next = nextCommands(folder);
  const paths = files.map(({ path }) => path);
  if (json) printJson({ folder, files: paths, next: next.map(({ command }) => command) });
  else process.stdout.write(describe(folder, paths, next));
  return 0;
}

interface Step {
  command: string;
  does: string;
}

function nextCommands(folder: string): Step[] {
  const relativePath = relative(process.cwd(), folder);
  return [
    ...(relativePath === ''
      ? []
      : [{ command: `cd ${relativePath.startsWith('../..') ? folder : relativePath}`, does: '' }]),
    { command: `${invocation} run stock_delivery`, does: 'run it with the free mock agent (takes seconds)' },
    { command: `${invocation} doctor`, does: 'check what is missing on this machine' },
  ];
}

function describe(folder: string, files: readonly string[], next: readonly Step[]): string {
  const width = Math.max(...next.map(({ command }) => command.length));
  return [
    `created in ${displayPath(folder)}:`,
    ...files.map((path) => `  ${path}`),
    '',
    'next:',
    ...next.map(({ command, does }) => `  ${command.padEnd(width)}  ${does}`.trimEnd()),
    '',
    'then read fixtures/stock_delivery.yaml, which says what to change to test your own tool',
    '',
  ].join('\n');
}
