import { readFileSync } from 'node:fs';
import { execa } from 'execa';

/** Where a walk happens: an empty folder, and the environment of its shell. */
export interface Place {
  folder: string;
  env: Record<string, string>;
}

/**
 * Runs all commands of a walk, which are the lines that begin with `$ ` in its blocks marked `console`, and returns the
 * document with the output that they really have. Lines after the command that begin with `> ` belong to it.
 */
export async function walk(file: string, place: Place): Promise<string> {
  const parts = readFileSync(file, 'utf8').split(/^```console\n([^]*?)^```$/m);
  const written: string[] = [];
  for (const [at, part] of parts.entries())
    written.push(at % 2 === 0 ? part : `\`\`\`console\n${await runBlock(part, place)}\`\`\``);
  return written.join('');
}

async function runBlock(block: string, place: Place): Promise<string> {
  let written = '';
  for (const command of commandsIn(block)) {
    const { exitCode, stdout, stderr } = await execa('bash', ['-c', command], {
      cwd: place.folder,
      env: place.env,
      extendEnv: false,
      stdin: 'ignore',
      reject: false,
    });
    const [first = '', ...more] = command.split('\n');
    const shown = [`$ ${first}`, ...more.map((line) => `> ${line}`.trimEnd())];
    const output = [...stdout.split('\n'), ...stderr.split('\n').filter((line) => !PROGRESS.test(line))];
    const lines = output
      .map((line) => steady(line, place))
      .filter((line, index) => line !== '' || index < output.length - 1);
    const end = exitCode === 0 ? [] : [`[exit ${exitCode}]`];
    written += `${[...shown, ...lines, ...end].join('\n').replace(/\n+(\n\[exit|$)/g, '$1')}\n\n`;
  }
  return written.replace(/\n\n$/, '\n');
}

const commandsIn = (block: string): string[] =>
  [...block.matchAll(/^\$ (.*(?:\n>.*)*)/gm)].map(([, command = '']) => command.replace(/\n> ?/g, '\n'));

/** Output that a terminal shows only for a moment, or in an order that differs. */
export const PROGRESS = /^(engine: |\[\d+\/\d+\] |npm (notice|warn))/;

/** Replaces what differs from run to run: paths, ids, times, ports. */
export function steady(line: string, { folder }: Pick<Place, 'folder'>): string {
  return (
    line
      .replaceAll(folder, '~')
      // A path that is cut.
      .replace(/\/tmp\/llm-tool-test-walks-\S*/g, '~…')
      .replace(/\d{8}-\d{6}/g, 'TIME')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replace(/-[0-9a-f]{12}\b/g, '-ID')
      .replace(/-[0-9a-f]{8}\b/g, '-ID')
      .replace(/\b[0-9a-f]{8} → [0-9a-f]{8}\b/g, 'HASH → HASH')
      .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
      .replace(/\b((\d+d )?(\d+h )?\d+m )?\d+(\.\d+)? ?m?s\b/g, 'N s')
      .replace(/\b(just now|\d+[mhd] ago)\b/g, 'AGO')
      .replace(/^( *duration, mean +N s +of \d+ +N s +of \d+) .*/, '$1  …')
      .replace(/^(\| duration, mean \| N s \| of \d+ \| N s \| of \d+ \|) .*/, '$1 …')
      .replace(/^added \d+ packages in .*/, 'added packages')
      // The width of columns depends on the numbers.
      .replace(/(\S) {2,}/g, '$1  ')
      .replace(/^ {9,}/, ' '.repeat(8))
      .trimEnd()
  );
}
