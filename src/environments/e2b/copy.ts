import { createReadStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { randomBytes } from 'node:crypto';
import { execa } from 'execa';
import type { EnvironmentHandle } from '../environment.js';
import { assertAnswered, type Machine, mustRun, quoted, reasonIn, withScratch } from '../machine/machine.js';
import { assertPacked } from '../machine/scripts.js';
import { explained } from './service.js';
import type { Connected } from './sandboxes.js';

/** A transfer that makes no progress for this long has failed. */
const TRANSFER_MS = 600_000;

type Connect = () => Promise<Connected>;
type Scripts = Pick<Machine, 'title' | 'run'>;

/** Copies the contents of a folder on the host into a folder in the sandbox, owned by its default user. */
export async function copyIn(
  machine: Machine,
  handle: EnvironmentHandle,
  connect: Connect,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const inside = archiveInside(handle);
  await withScratch(handle, async (scratch) => {
    const archive = join(scratch, 'in.tar');
    await execa('tar', ['-C', from, '-cf', archive, '.'], { stdin: 'ignore' });
    const { e2b, sandbox } = await connect();
    const stream = Readable.toWeb(createReadStream(archive)) as ReadableStream;
    await sandbox.files.write(inside, stream, { requestTimeoutMs: TRANSFER_MS }).catch((error: unknown) => {
      throw explained(e2b, `copy files into ${machine.title}`, error);
    });
  });
  const unpack = `mkdir -p ${quoted(to)} && tar -C ${quoted(to)} -xof ${quoted(inside)} && rm -f ${quoted(inside)}`;
  await mustRun(machine, 'unpacking files', unpack);
}

/**
 * Copies a folder in the sandbox into a folder on the host. Returns its path there; null if the folder does not exist.
 */
export async function copyOut(
  machine: Scripts,
  handle: EnvironmentHandle,
  connect: Connect,
  { from, to }: { from: string; to: string },
): Promise<string | null> {
  const inside = archiveInside(handle);
  // As root, who can read everything. The archive is for the default user, as which files are transferred.
  const packed = await machine.run(packScript(from, inside), 'root');
  if (packed === null) return null;
  assertAnswered(`packing ${from} in ${machine.title}`, packed);
  if (packed.stdout.toString() !== 'packed\n') return null;
  await mkdir(to, { recursive: true, mode: 0o700 });
  const { e2b, sandbox } = await connect();
  try {
    const stream = await sandbox.files.read(inside, { format: 'stream', requestTimeoutMs: TRANSFER_MS });
    const unpacked = await execa('tar', ['-C', to, '-xof', '-'], {
      input: Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0]),
      reject: false,
    });
    if (unpacked.failed) throw new Error(reasonIn(unpacked.stderr) || String(unpacked.cause));
  } catch (error) {
    throw explained(e2b, `copy ${from} from ${machine.title}`, error);
  }
  await machine.run(`rm -f ${quoted(inside)}`, 'root');
  return join(to, basename(from));
}

const archiveInside = ({ root }: EnvironmentHandle): string => `${root}/.archive-${randomBytes(8).toString('hex')}.tar`;

const packScript = (from: string, archive: string): string => `
[ -e ${quoted(from)} ] || exit 0
tar -C ${quoted(dirname(from))} -cf ${quoted(archive)} ${quoted(basename(from))} 2>${quoted(`${archive}.err`)}
status=$?${assertPacked(quoted(`${archive}.err`))}
chown "$(stat -c %u:%g ${quoted(dirname(archive))})" ${quoted(archive)} && echo packed`;
