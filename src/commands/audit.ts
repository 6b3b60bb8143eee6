import { openProject } from '#planning';
import { renderAudit } from '#reports';
import { objectsOf, readAudit } from '#store';
import { printJson, printNotice, textOptions } from './shared/output.js';

/** The default limit, which fits on a screen. */
const SHOWN = 20;

/** `audit`: lists who did what with sweeps and schedules, newest last. Starts no engine. */
export async function audit(options: { limit?: number; results?: string; json: boolean }): Promise<number> {
  const { resultsPath } = openProject(options.results);
  const limit = options.limit ?? (options.json ? Infinity : SHOWN);
  const { entries, older, damaged } = await readAudit(await objectsOf(resultsPath), limit);
  for (const name of damaged) printNotice(`warning: audit/${name} cannot be read; skipped it`);
  if (options.json) printJson({ entries });
  else if (entries.length === 0) process.stdout.write('nothing was done yet\n');
  else process.stdout.write(renderAudit(entries, older, textOptions()));
  return 0;
}
