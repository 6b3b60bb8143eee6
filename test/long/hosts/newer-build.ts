import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { REPOSITORY } from '../../commands/project.js';

/** The marker of the workflows of the newer build in their histories. An older build cannot replay it. */
export const NEWER_MARKER = 'of-the-newer-build';

const PROTOCOL = /\bENGINE_PROTOCOL = (\d+)/g;
const WORKFLOWS = /\basync function (?:runSweep|runScenario)\(input\) \{/g;

/**
 * Makes a copy of this package in a folder, as the next release would be: its workflows do more. Returns its program.
 */
export async function createNewerBuild(folder: string): Promise<string> {
  await mkdir(folder);
  for (const name of await readdir(REPOSITORY))
    if (!/^(dist.*|\..*|test)$/.test(name)) await symlink(join(REPOSITORY, name), join(folder, name));
  const dist = join(folder, 'dist');
  await cp(join(REPOSITORY, 'dist'), dist, { recursive: true });
  let patched = 0;
  for (const name of (await readdir(dist)).filter((name) => name.endsWith('.js'))) {
    const code = await readFile(join(dist, name), 'utf8');
    const newer = code
      .replace(PROTOCOL, (_all, number: string) => `ENGINE_PROTOCOL = ${Number(number) + 1}`)
      .replace(
        name === 'workflow-bundle.js' ? WORKFLOWS : /$^/g,
        (all, at: number) => `${all}\n${useMarker(code.slice(at))}`,
      );
    if (newer === code) continue;
    patched += 1;
    await writeFile(join(dist, name), newer);
  }
  if (patched < 3) throw new Error('the build has another form: command line, worker and workflows were not all found');
  await writeFile(join(dist, 'build-id'), 'newer');
  return join(dist, 'cli.js');
}

/** The bundle names modules by its own numbers, which the code after this place uses. */
function useMarker(code: string): string {
  const [workflow] = /_temporalio_workflow__WEBPACK_IMPORTED_MODULE_\d+__/.exec(code) ?? [];
  if (workflow === undefined) throw new Error('the workflows have another form');
  return `(0,${workflow}.patched)('${NEWER_MARKER}');`;
}
