import { statSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { execa } from 'execa';
import { cacheHome, createFolderOnce, findExecutable, remembered } from '#host';
import { sha256 } from '#lib';
import type { EnvironmentHandle } from '../environment.js';
import { type Machine, mustRun, quoted, withScratch } from './machine.js';

/** The modules that relay.pl loads. */
const PERL_MODULES = ['-MErrno', '-MFcntl', '-MPOSIX', '-MSocket'];

/** Prints the modules that are loaded, as path and name, and their libraries as paths. */
const LIST = String.raw`print "$INC{$_}\t$_\n" for keys %INC; print "$_\n" for @DynaLoader::dl_shared_objects`;

/** The loader of dynamic libraries, which starts the copy, by the same name on every machine. */
const LOADER = 'loader';

interface OwnPerl {
  /** By its place in the copy, the path of each file on this machine. */
  files: Map<string, string>;
}

const found = remembered(find);

/** Finds perl of this machine and all that it loads; null if there is none that could work in another Linux system. */
async function find(): Promise<OwnPerl | null> {
  const program = process.platform === 'linux' ? findExecutable('perl') : null;
  if (program === null) return null;
  const listed = await execa(program, [...PERL_MODULES, '-MDynaLoader', '-e', LIST], { reject: false });
  const lines = listed.stdout.split('\n').map((line) => line.split('\t'));
  const modules = lines.map(([path = '', name]): [string, string] => [
    `modules/${name ?? path.slice(path.lastIndexOf('/auto/') + 1)}`,
    path,
  ]);
  const needed = await execa(
    'ldd',
    [program, ...modules.map(([, path]) => path).filter((path) => path.endsWith('.so'))],
    {
      reject: false,
    },
  );
  const libraries = [...needed.stdout.matchAll(/^\s+(?:.* => )?(\/\S+) \(/gm)].map(([, path = '']) => path);
  const loader = libraries.find((path) => basename(path).startsWith('ld'));
  if (listed.failed || needed.failed || loader === undefined) return null;
  return {
    files: new Map([
      ['perl', program],
      [`lib/${LOADER}`, loader],
      ...modules,
      ...libraries.map((path): [string, string] => [`lib/${basename(path)}`, path]),
    ]),
  };
}

/** Copies perl of this machine, with all that it needs, into a folder. */
async function copyPerl({ files }: OwnPerl, folder: string): Promise<void> {
  for (const [to, from] of files) {
    await mkdir(dirname(join(folder, to)), { recursive: true });
    await copyFile(from, join(folder, to));
  }
}

/** The command line that starts the copy at a place in a Linux system. */
export const startOfPerl = (place: string): string[] => [
  ...[`${place}/lib/${LOADER}`, '--library-path', `${place}/lib`, `${place}/perl`, `-I${place}/modules`],
];

/** A folder of this machine with a copy of perl, which is made once; null if there is no perl that could be copied. */
export async function perlFolder(): Promise<string | null> {
  const perl = await found();
  if (perl === null) return null;
  const look = [...perl.files].map(([to, from]) => [to, statSync(from).mtimeMs]);
  const folder = join(cacheHome(), 'packed', `perl-${sha256(JSON.stringify(look)).slice(0, 16)}`);
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  await createFolderOnce(folder, (into) => copyPerl(perl, into));
  return folder;
}

/** Fails if perl, started like this, does not work in the machine. */
const tryPerlScript = (perl: readonly string[]): string =>
  `${[...perl, ...PERL_MODULES].map(quoted).join(' ')} -e 1 2>/dev/null`;

/** The command that starts perl in the machine: its own, or a copy of that of this machine; null if neither works. */
export async function perlInside(handle: EnvironmentHandle, machine: Machine): Promise<string[] | null> {
  const works = async (perl: readonly string[]): Promise<boolean> =>
    (await machine.run(tryPerlScript(perl)))?.exitCode === 0;
  if (await works(['perl'])) return ['perl'];
  const place = `${handle.root}/perl`;
  return withScratch(handle, async (scratch) => {
    const own = await found();
    if (own === null) return null;
    await copyPerl(own, scratch);
    const perl = startOfPerl(place);
    // Anew for each start: the agent may have changed it.
    await mustRun(machine, 'copying perl', `rm -rf ${quoted(place)} && mkdir ${quoted(place)}`);
    await machine.copyIn(scratch, place);
    return (await works(perl)) ? perl : null;
  });
}
