import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** True if an agent of this engine may still be working: a folder of the engine is in its supervisor's command line. */
export const hasLiveSupervisors = (stateFolder: string): boolean =>
  commandLines().some((line) => line.includes(`${stateFolder}/work/`));

function commandLines(): string[] {
  if (process.platform !== 'linux')
    return execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n');
  return readdirSync('/proc').flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8')] : [];
    } catch {
      return []; // gone in the meantime
    }
  });
}
