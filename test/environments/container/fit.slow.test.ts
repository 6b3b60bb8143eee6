import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fitProblem } from '../../../src/environments/container/fit.js';
import { isStatic, packAgent } from '../../../src/environments/container/pack-agent.js';
import { findExecutable } from '../../../src/host/process/find-deno.js';
import { newFolder, setEnv } from '../../host/temporary.js';
import { IMAGE, PERL_IMAGE, whyNoContainers } from '../containers.js';

const lacking = (await whyNoContainers()) ?? (await whyNoContainers('docker', PERL_IMAGE));
if (lacking !== null) console.log(`no test of images that agents do not fit into: ${lacking}`);

/** The C library of Debian's package musl, which is its loader, too. */
const MUSL = '/lib/x86_64-linux-musl/libc.so';
const MUSL_IMAGE = 'llm-tool-test-busybox-musl:1';
const lacksMusl =
  process.arch !== 'x64' ? 'the machine is no x86_64' : existsSync(MUSL) ? null : 'musl is not installed';
if (lacksMusl !== null) console.log(`no test of an image with musl: ${lacksMusl}`);

/** An image of a static busybox with musl as its only C library. */
function makeMuslImage(folder: string): void {
  mkdirSync(join(folder, 'lib'));
  cpSync(MUSL, join(folder, 'lib', 'ld-musl-x86_64.so.1'));
  writeFileSync(join(folder, 'Dockerfile'), `FROM ${IMAGE}\nCOPY lib /lib\n`);
  execFileSync('docker', ['build', '--quiet', '--tag', MUSL_IMAGE, folder], { stdio: 'ignore' });
}

describe.skipIf(lacking !== null)('an agent in an image', () => {
  // A program for the C library of this machine, which names the versions of it that it needs.
  const program = realpathSync(findExecutable('sleep') ?? '');

  const problemIn = async (image: string, file: string, version = ['--version']): Promise<string | null> => {
    setEnv({ LLM_TOOL_TEST_CACHE: await newFolder() });
    const packed = await packAgent(file);
    if ('why' in packed) throw new Error(packed.why);
    return fitProblem({ command: 'docker', image }, { folder: packed.folder, program: file, version });
  };

  test('without glibc does not start', async () => {
    expect(isStatic(program)).toBe(false);
    expect(await problemIn(IMAGE, program)).toBe(
      `the image ${IMAGE}: it has no glibc, for which sleep of this machine is made`,
    );
  });

  test.skipIf(lacksMusl !== null)('with musl does not start, unless it is static', async () => {
    makeMuslImage(await newFolder());
    const loader = ['run', '--rm', '--entrypoint', '/lib/ld-musl-x86_64.so.1', MUSL_IMAGE];
    expect(spawnSync('docker', loader, { encoding: 'utf8' }).stderr).toContain('musl libc');
    expect(await problemIn(MUSL_IMAGE, program)).toBe(
      `the image ${MUSL_IMAGE}: its C library is musl, and sleep of this machine is made for glibc`,
    );
    expect(await problemIn(MUSL_IMAGE, realpathSync(findExecutable('busybox') ?? ''), ['true'])).toBeNull();
  });

  test('with a glibc that is older than it needs does not start', async () => {
    // The image has the glibc of this machine, so that the program is made to need a later one.
    const later = join(await newFolder(), 'sleep');
    const text = readFileSync(program).toString('latin1');
    const [newest = ''] = [...text.matchAll(/GLIBC_2\.(\d+)\0/g)]
      .map(([, minor = '']) => minor)
      .sort((a, b) => +b - +a);
    writeFileSync(later, Buffer.from(text.replaceAll(`GLIBC_2.${newest}\0`, `GLIBC_9.${newest}\0`), 'latin1'));
    chmodSync(later, 0o755);
    expect(await problemIn(PERL_IMAGE, later)).toBe(
      `the image ${PERL_IMAGE}: its C library is older than glibc 9.${newest}, which sleep needs`,
    );
  });
});
