import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../lib/json.js';
import { openRunsFolder } from '../../platform/engine/engine-state.js';
import { Cell } from '../../results/records/cell.js';
import { readText } from '../../platform/fs/read-file.js';

/** A run that was started on this machine and is not over. */
export interface OpenRun {
  run: string;
  sweep: string;
  cell: Cell;
  workflowId: string;
  isOpen: () => boolean;
}

const Note = z.object({
  run: z.object({ run: z.string(), sweep: z.string(), cell: Cell, workflowId: z.string() }),
});

/** Returns the runs that are not over, whether or not a worker performs them now. */
export function openRunsIn(stateFolder: string): OpenRun[] {
  const folder = openRunsFolder(stateFolder);
  return (existsSync(folder) ? readdirSync(folder) : []).flatMap((name) => {
    const file = join(folder, name);
    const note = Note.safeParse(parseJson(textOf(file))).data;
    return note === undefined ? [] : [{ ...note.run, isOpen: () => existsSync(file) }];
  });
}

/** The note is removed when its run is over, perhaps just now. */
function textOf(file: string): string {
  try {
    return readText(file);
  } catch {
    return '';
  }
}
