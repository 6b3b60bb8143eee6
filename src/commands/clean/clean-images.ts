import { builtImages, removeImage } from '#environments';
import { counted, formatBytes, InfrastructureError } from '#lib';
import { printJson } from '../shared/output.js';

/** `clean --images`: removes the images that were built for runs, unless containers use them. Returns the exit code. */
export async function cleanImages({ dryRun, json }: { dryRun: boolean; json: boolean }): Promise<number> {
  const removed: { id: string; bytes: number }[] = [];
  const kept: string[] = [];
  const commands = ['docker', 'podman'] as const;
  const found = await Promise.all(commands.map(async (command) => ({ command, images: await builtImages(command) })));
  if (found.every(({ images }) => images === null))
    throw new InfrastructureError('neither docker nor podman answers; llm-tool-test doctor says why');
  for (const { command, images } of found)
    for (const image of images ?? [])
      if (dryRun || (await removeImage(command, image.id))) removed.push(image);
      else kept.push(image.id);
  const bytes = removed.reduce((sum, image) => sum + image.bytes, 0);
  if (json) printJson({ dry_run: dryRun, images: removed.map(({ id }) => id), kept, bytes });
  else {
    const many = counted(removed.length, 'image');
    const inUse = kept.length === 0 ? '' : `; ${kept.length} in use`;
    process.stdout.write(`${dryRun ? 'would remove' : 'removed'} ${many} of at most ${formatBytes(bytes)}${inUse}\n`);
  }
  return 0;
}
