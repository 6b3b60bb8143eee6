import { stripVTControlCharacters } from 'node:util';
import { endOf } from '#lib';

/** The end of a build that has failed: a fault of its Dockerfile, or of the machine, so that it is tried again. */
export type BuildFailure = { of: 'dockerfile' | 'daemon' | 'disk'; reason: string };

/** A step of the Dockerfile has failed. What the step itself has printed does not count, whatever it says. */
const STEP_FAILED =
  /returned a non-zero code: \d+|did not complete successfully: exit code: \d+|^Error: building at STEP .*exit status \d+/im;
/** The builder's own words for a daemon that is away, or went away. */
const AWAY =
  /cannot connect to the docker daemon|error during connect|unable to connect to podman|unexpected EOF|connection refused|connection reset by peer|broken pipe|transport is closing|closed network connection|server is shutting down|is the docker daemon running/i;
const FULL = /no space left on device|disk quota exceeded/i;
/** The old builder takes the lines of a heredoc for instructions. */
const NEEDS_BUILDKIT = /unknown instruction|the --mount option requires BuildKit|the --chmod option requires BuildKit/i;
const NOISE =
  /^( ---> |Removing intermediate container |DEPRECATED:|\s+Install the buildx|\s+https:\/\/docs\.docker\.com|-+$|\s*>>?>?\s|\s*\d+ \|)/;
/** The container in which the old builder performs a step. */
const RUNNING_IN = /^ ---> Running in ([0-9a-f]{12,64})$/gm;
const REASON = 400;

/** The lines that say something, in order, without the colors of the old builder. */
export const tellingLines = (output: string): string[] =>
  stripVTControlCharacters(output)
    .split(/\r?\n|\r/)
    .filter((line) => line.trim() !== '' && !NOISE.test(line));

/** Says why a build has failed, by its output and its exit status; null for one that was killed. */
export function failureIn(command: string, output: string, exitCode: number | null): BuildFailure {
  const last = tellingLines(output).slice(-2);
  const reason = endOf(last.join(' | '), REASON);
  if (FULL.test(last.join('\n'))) return { of: 'disk', reason };
  if (STEP_FAILED.test(last.join('\n'))) return { of: 'dockerfile', reason };
  if (exitCode === null || exitCode > 128 || last.length === 0 || AWAY.test(last.join('\n')))
    return { of: 'daemon', reason: reason === '' ? 'the builder was killed' : reason };
  return {
    of: 'dockerfile',
    reason: NEEDS_BUILDKIT.test(reason)
      ? `${reason}; this Dockerfile may need BuildKit, which ${command} lacks here (apt install docker-buildx)`
      : reason,
  };
}

/** The containers of steps. They stay if the daemon dies during a build. */
export const stepContainers = (output: string): string[] => [...output.matchAll(RUNNING_IN)].map(([, id = '']) => id);
