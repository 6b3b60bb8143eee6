import axeCore from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';
import { findExecutable } from '../../src/host/process/find-deno.js';

const program = findExecutable('chromium');

/** The reason why no browser can be tested here; null if one can. `.ci/packages` installs it. */
export const lacking = program === null ? 'chromium is not installed' : null;

export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: program ?? '', args: ['--no-sandbox', '--disable-dev-shm-usage'] });

/** The violations that axe finds in a page, in a line each. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axeCore.source);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
      };
    };
    const { violations } = await axe.run();
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  });
}
