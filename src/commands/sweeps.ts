import { ownCommand } from '#host';
import { openProject } from '#planning';
import { renderSweeps } from '#reports';
import { readSweepList } from '#sweeps';
import { printJson, printNotice, textOptions } from './shared/output.js';

/** The default limit, which fits on a screen. */
const SHOWN = 20;

/** `sweeps`: lists the sweeps of the results folder, newest first, using only the files. */
export async function listSweeps(options: { limit?: number; results?: string; json: boolean }): Promise<number> {
  const { resultsPath } = openProject(options.results);
  const limit = options.limit ?? (options.json ? Infinity : SHOWN);
  const { sweeps, more } = readSweepList(resultsPath, limit, printNotice);
  if (options.json) printJson({ sweeps });
  else if (sweeps.length === 0) process.stdout.write(`no sweeps yet; start one with ${ownCommand('run')}\n`);
  else process.stdout.write(renderSweeps(sweeps, more, Date.now(), textOptions()));
  return Promise.resolve(0);
}
