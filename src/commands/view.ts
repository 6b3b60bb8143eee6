import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openProject } from '#planning';
import { serveViewer } from '#viewer';
import { readEnvFile } from './shared/option-values.js';
import { printJson, printNotice } from './shared/output.js';

interface ViewOptions {
  port: number;
  origin?: string;
  newLink: boolean;
  open: boolean;
  results?: string;
  envFile?: string;
  json: boolean;
}

/** `view`: serves the viewer until a signal ends it. */
export async function view({ port, origin, newLink, open, results, envFile, json }: ViewOptions): Promise<number> {
  const { resultsPath } = openProject(results);
  const variables = (): NodeJS.Dict<string> => readEnvFile(envFile);
  variables(); // a mistake in it should not wait for the first retry
  const viewer = await serveViewer({
    resultsPath,
    port,
    origin: origin ?? null,
    newLink,
    variables,
    warn: printNotice,
  });
  const ended = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  if (json) printJson({ url: viewer.url, port: viewer.port, results: resultsPath });
  else process.stdout.write(`${viewer.url}\n`);
  printNotice(
    'whoever has this address can read the results while this command runs; Ctrl-C ends it, and sweeps continue',
  );
  if (open && !(await openBrowser(viewer.url))) printNotice('no browser could be opened; open the address');
  await ended;
  await viewer.close();
  return 0;
}

/**
 * Opens an address in the user's browser, without waiting for it. Returns false if no program could be started for
 * that.
 */
async function openBrowser(url: string): Promise<boolean> {
  const child = spawn(process.platform === 'darwin' ? 'open' : 'xdg-open', [url], {
    stdio: 'ignore',
    detached: true,
  });
  child.unref();
  try {
    await once(child, 'spawn');
    return true;
  } catch {
    return false;
  }
}
