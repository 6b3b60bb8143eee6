import { join } from 'node:path';
import { execa } from 'execa';
import { REPOSITORY } from '../commands/project.js';

interface Verb {
  /** The options, and whether each takes a value. */
  options: Map<string, boolean>;
  least: number;
  most: number;
  verbs: string[];
}

const known = new Map<string, Promise<Verb>>();

/** The CLI's description of a verb in its `--help`, which has no side effects. */
export function verb(...names: string[]): Promise<Verb> {
  const key = names.join(' ');
  const asked = known.get(key) ?? read(names);
  known.set(key, asked);
  return asked;
}

async function read(names: string[]): Promise<Verb> {
  const { stdout } = await execa(join(REPOSITORY, 'dist/cli.js'), [...names, '--help']);
  const [usage = ''] = stdout.split('\n');
  const after = usage.replace('[options]', '').replace('[command]', '');
  const values = [...after.matchAll(/<[^>]+>|\[[^\]]+\]/g)].map(([value]) => value);
  const lines = [...stdout.matchAll(/^ {2}((?:-[\w-]+(?:, )?)+)( <)?/gm)];
  return {
    options: new Map(
      lines.flatMap(([, flags = '', value]) =>
        flags.split(', ').map((flag): [string, boolean] => [flag, value !== undefined]),
      ),
    ),
    least: values.filter((value) => value.startsWith('<')).length,
    most: values.some((value) => value.includes('...')) ? Infinity : values.length,
    verbs: [...(stdout.split('Commands:\n')[1]?.matchAll(/^ {2}(\w[\w-]*)/gm) ?? [])].map(([, name = '']) => name),
  };
}

/** The reason why the CLI would refuse these words, or null. `<x>` and `...` stand for any value. */
export async function problemOf(words: readonly string[]): Promise<string | null> {
  const root = await verb();
  const [name = '', second = ''] = words;
  if (root.options.has(name)) return null;
  if (name.startsWith('<')) return null;
  if (!root.verbs.includes(name)) return `no verb ${name}`;
  const group = await verb(name);
  const isGroup = group.verbs.length > 0;
  if (isGroup && !group.verbs.includes(second)) return `no verb ${name} ${second}`;
  const { options, least, most } = isGroup ? await verb(name, second) : group;
  let values = 0;
  const rest = words.slice(isGroup ? 2 : 1);
  for (let at = 0; at < rest.length; at += 1) {
    const [option = '', inline] = (rest[at] ?? '').split('=');
    if (!option.startsWith('-')) values += 1;
    else if (!options.has(option)) return `${name} has no option ${option}`;
    else if (options.get(option) === true && inline === undefined) {
      at += 1;
      if (rest[at] === undefined) return `${option} without a value`;
    }
  }
  if (values < least) return `${name} wants ${least} values`;
  return values > most ? `${name} takes no ${values} values` : null;
}
