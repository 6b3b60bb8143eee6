import { leftoversFile, readLeftovers } from '../../platform/leftovers.js';
import { ownCommand } from '../../platform/invocation.js';
import type { Finding } from '../../reports/doctor-text.js';
import type { DoctorContext } from './context.js';

/** Lists containers and databases of runs that have ended, which could not be removed. */
export async function leftovers({ engine: folder }: DoctorContext): Promise<Finding> {
  const notes = await readLeftovers(folder);
  const left = notes.flatMap(({ run, left }) =>
    left.map((each) => ({ ...each, run, note: leftoversFile(folder, run) })),
  );
  const [first] = left;
  if (first === undefined) return { status: 'ok', message: 'nothing is left of runs that have ended' };
  return {
    status: 'warning',
    message: left.map(({ name, run, reason }) => `${name} of ${run}: ${reason}`).join('; '),
    remedy:
      `${ownCommand('engine start')} tries to remove ${left.length === 1 ? 'it' : 'them'} again; ` +
      `or do it yourself (${left.map(({ remedy }) => remedy).join('; ')}), and then delete ${[...new Set(left.map(({ note }) => note))].join(' ')}`,
    detail: { left },
  };
}
