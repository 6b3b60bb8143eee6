import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Whether an agent of this engine may still work: its supervisor is named by a folder below the engine's. */
export const supervisorsLive = (stateFolder: string): boolean =>
  commandLines().some((line) => line.includes(`${stateFolder}/work/`));

function commandLines(): string[] {
  if (process.platform !== 'linux')
    return execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n');
  return readdirSync('/proc').flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8')] : [];
    } catch {
      return []; // gone meanwhile
    }
  });
}
