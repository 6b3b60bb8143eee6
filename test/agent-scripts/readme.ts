import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

interface Readme {
  /** The usage without its arguments. */
  command: string;
  codes: string[];
  /** The commands, with their documented answers. */
  examples: { line: string; answer: unknown }[];
}

export const scriptNames: readonly string[] = readdirSync(join(REPOSITORY, '.agents/scripts'));

/** The parts of the README of a script that tests need. */
export function readmeOf(name: string): Readme {
  const text = readFileSync(join(REPOSITORY, '.agents/scripts', name, 'README.md'), 'utf8');
  const section = (title: string): string =>
    new RegExp(`^## ${title}\n([^]*?)(?=^## |$(?![^]))`, 'm').exec(text)?.[1] ?? '';
  const [, command = ''] = /```bash\n(.*?run\.ts)/.exec(section('Usage')) ?? [];
  const examples = [...section('Examples').matchAll(/```bash\n(.*)\n```(?:\n\n```json\n([^]*?)```)?/g)];
  return {
    command,
    codes: [...section('Error Codes').matchAll(/^\| ([A-Z_]+) /gm)].map(([, code = '']) => code),
    examples: examples.map(([, line = '', answer]) => ({
      line,
      answer: answer && (JSON.parse(answer) as unknown),
    })),
  };
}
