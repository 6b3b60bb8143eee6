import { ownCommand } from '#host';
import { openProject, ownerName, ownerOf } from '#planning';
import { renderSweeps } from '#reports';
import { readSweepList } from '#sweeps';
import { printJson, printNotice, textOptions } from './shared/output.js';

/** The default limit, which fits on a screen. */
const SHOWN = 20;

/** `sweeps`: lists the sweeps of the results folder, newest first, using only the files. */
export async function listSweeps(options: {
  limit?: number;
  results?: string;
  json: boolean;
  mine: boolean;
  owner?: string;
}): Promise<number> {
  const { resultsPath } = openProject(options.results);
  const owner = options.mine
    ? ownerOf(null, process.env)
    : options.owner === undefined
      ? null
      : ownerName(options.owner);
  const limit = options.limit ?? (options.json ? Infinity : SHOWN);
  const { sweeps, more } = readSweepList(resultsPath, limit, printNotice, owner);
  if (options.json) printJson({ sweeps });
  else if (sweeps.length === 0)
    process.stdout.write(
      `${owner === null ? 'no sweeps yet' : `no sweeps of ${owner}`}; start one with ${ownCommand('run')}\n`,
    );
  else process.stdout.write(renderSweeps(sweeps, more, Date.now(), textOptions()));
  return Promise.resolve(0);
}
