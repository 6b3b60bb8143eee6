import { TestWorkflowEnvironment } from '@temporalio/testing';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Run by itself: downloads the Temporal CLI of a version into a folder by the SDK's downloader and prints its path.
 * The SDK offers no download alone, so the server it starts is ended again. A fixed version is kept for good (`ttl`).
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
  // One line: the last of what Node itself prints of an error is its own version.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
