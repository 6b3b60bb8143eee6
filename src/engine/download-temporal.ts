import { TestWorkflowEnvironment } from '@temporalio/testing';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A script: downloads a version of the Temporal CLI into a folder, with the downloader of the SDK, and prints its path.
 * The SDK cannot download without starting a server, so the server is stopped again. A fixed version is kept for good
 * (`ttl`).
 */
const [folder, version] = process.argv.slice(2);
if (folder === undefined || version === undefined) throw new Error('usage: download-temporal FOLDER VERSION');

async function download(downloadDir: string): Promise<string> {
  const server = await TestWorkflowEnvironment.createLocal({
    server: { executable: { type: 'cached-download', downloadDir, version: `v${version}`, ttl: '36500d' } },
  });
  await server.teardown();
  const [file] = (await readdir(downloadDir)).filter((name) => name.startsWith('temporal-'));
  if (file === undefined) throw new Error('the downloader left no file');
  return join(downloadDir, file);
}

try {
  process.stdout.write(`${await download(folder)}\n`);
} catch (error) {
  // One line, because the caller reads the last one: when Node itself prints an error, that is Node's version.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
