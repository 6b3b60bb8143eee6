import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

const DESKTOP = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };

/**
 * Photographs the viewer of a project: a sweep, a run that failed, one that goes on, and the first two on a phone.
 * @param {{ cli: string, cwd: string, env: NodeJS.ProcessEnv, browser: string, pictures: string, sweep: string, live:
 *   string }} options
 */
export async function photographViewer({ cli, cwd, env, browser, pictures, sweep, live }) {
  const view = spawn(cli, ['view', '--no-open'], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const opened = await chromium.launch({ executablePath: browser, args: ['--no-sandbox'] });
  try {
    const [url = ''] = await new Promise((resolve) => {
      createInterface({ input: view.stdout }).once('line', (line) => resolve([line]));
    });
    for (const { name, size, scheme, steps } of [
      { name: 'viewer-sweep', size: DESKTOP, scheme: 'light', steps: [sweep] },
      { name: 'viewer-run', size: DESKTOP, scheme: 'light', steps: [sweep, '.run.fail a.name'] },
      { name: 'viewer-live', size: DESKTOP, scheme: 'dark', steps: [live, '.run.running a.name'] },
      { name: 'viewer-phone', size: PHONE, scheme: 'light', steps: [sweep] },
    ]) {
      const page = await opened.newPage({
        viewport: size,
        colorScheme: /** @type {'light' | 'dark'} */ (scheme),
      });
      await page.goto(url);
      for (const step of steps) await page.locator(step).first().click();
      await page.locator('.conversation details, .matrix').first().waitFor();
      // The files that a run changed come last.
      await page.waitForLoadState('networkidle', { timeout: 5000 }).catch(() => undefined);
      const file = join(pictures, `${name}.png`);
      await page.screenshot({ path: file });
      await page.close();
      console.log(file);
    }
  } finally {
    await opened.close();
    view.kill('SIGINT');
  }
}
