import { basename } from 'node:path';
import { builtImages, findPacks, removeImage, removePack } from '#environments';
import { counted, formatBytes, InfrastructureError } from '#lib';
import { printJson } from '../shared/output.js';

interface Cleaned {
  removed: { id: string; bytes: number }[];
  kept: string[];
}

/** Removes what is not used. A dry run removes nothing. */
async function removeAll(
  items: readonly { id: string; bytes: number }[],
  remove: (id: string) => Promise<boolean>,
  dryRun: boolean,
): Promise<Cleaned> {
  const cleaned: Cleaned = { removed: [], kept: [] };
  for (const item of items)
    if (dryRun || (await remove(item.id))) cleaned.removed.push(item);
    else cleaned.kept.push(item.id);
  return cleaned;
}

/** Removes the images that were built for runs. Null if no program for containers works. */
async function cleanBuilt(dryRun: boolean): Promise<Cleaned | null> {
  const commands = ['docker', 'podman'] as const;
  const found = await Promise.all(commands.map(async (command) => ({ command, images: await builtImages(command) })));
  if (found.every(({ images }) => images === null)) return null;
  const all: Cleaned[] = [];
  for (const { command, images } of found)
    all.push(await removeAll(images ?? [], (id) => removeImage(command, id), dryRun));
  return { removed: all.flatMap(({ removed }) => removed), kept: all.flatMap(({ kept }) => kept) };
}

async function cleanPacks(dryRun: boolean): Promise<Cleaned> {
  const { unused, used } = await findPacks();
  const items = unused.map(({ folder, bytes }) => ({ id: folder, bytes }));
  const { removed, kept } = await removeAll(items, removePack, dryRun);
  return { removed, kept: [...used, ...kept] };
}

const bytesOf = ({ removed }: Cleaned): number => removed.reduce((sum, { bytes }) => sum + bytes, 0);

const lineAbout = (what: string, atMost: string, cleaned: Cleaned, dryRun: boolean): string => {
  const { removed, kept } = cleaned;
  const many = counted(removed.length, what);
  const inUse = kept.length === 0 ? '' : `; ${kept.length} in use`;
  return `${dryRun ? 'would remove' : 'removed'} ${many} of ${atMost}${formatBytes(bytesOf(cleaned))}${inUse}\n`;
};

/**
 * `clean --images`: removes the images that were built for runs, unless containers use them, and packed agents that no
 * run uses. Returns the exit code.
 */
export async function cleanImages({ dryRun, json }: { dryRun: boolean; json: boolean }): Promise<number> {
  const [packs, images] = [await cleanPacks(dryRun), await cleanBuilt(dryRun)];
  const hasPacks = packs.removed.length + packs.kept.length > 0;
  if (images === null && !hasPacks)
    throw new InfrastructureError('neither docker nor podman answers; llm-tool-test doctor says why');
  if (json) {
    printJson({
      dry_run: dryRun,
      images: images?.removed.map(({ id }) => id) ?? null,
      kept: images?.kept ?? null,
      bytes: images === null ? null : bytesOf(images),
      agents: packs.removed.map(({ id }) => basename(id)),
      agents_kept: packs.kept.map((folder) => basename(folder)),
      agents_bytes: bytesOf(packs),
    });
    return 0;
  }
  if (hasPacks) process.stdout.write(lineAbout('packed agent', '', packs, dryRun));
  process.stdout.write(
    images === null
      ? 'images: neither docker nor podman answers\n'
      : // Images share layers.
        lineAbout('image', 'at most ', images, dryRun),
  );
  return 0;
}
