import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Opens an address in the user's browser, without waiting for it. Returns false if no program could be started for that. */
export async function openBrowser(url: string): Promise<boolean> {
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
