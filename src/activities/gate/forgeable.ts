import { type EnvironmentHandle, wayOfOutput } from '#environments';
import type { GateContext } from '#gates';
import { findExecutable } from '#host';

/** The reason why an agent can forge what is recorded of it; null if it cannot. specs/explanation/security.md says more. */
async function reasonIn(handle: Recorder): Promise<string | null> {
  switch (handle.type) {
    case 'local':
      return 'environment local is no sandbox: the agent could write to what is recorded of it';
    case 'bubblewrap':
      return (await findExecutable('perl')) === null
        ? 'without perl, what the agent starts can write into what the agent prints; install perl'
        : null;
    case 'docker':
      return IN_CONTAINER[wayOfOutput(handle)];
    case 'e2b':
      return 'what the agent prints is kept in its own sandbox for a moment: it could change it there';
  }
}

const IN_CONTAINER: Record<ReturnType<typeof wayOfOutput>, string | null> = {
  streamed: null,
  copied:
    'what passes on the output was killed, and the rest was copied from the container: the agent could have changed it there',
  'after root':
    'the agent is root in its container, and could have replaced programs that its later turns use; use an image with another user',
  'never streamed':
    'without perl in the image, what the agent prints is kept in its own container for a moment: it could change it there',
};

type Recorder = Pick<EnvironmentHandle, 'type' | 'journal'>;
type Recorded = Pick<GateContext, 'efficiency' | 'trajectory' | 'turns'>;

/** Notes whether a gate looks at what was recorded of the agent. */
export function watchEvidence<T extends Recorded>(
  done: T,
  handle: Recorder,
): { done: T; forgeable: () => Promise<string | null> } {
  let wasUsed = false;
  const noting =
    <A>(look: () => Promise<A>) =>
    (): Promise<A> => {
      wasUsed = true;
      return look();
    };
  return {
    done: {
      ...done,
      efficiency: noting(() => done.efficiency()),
      trajectory: noting(() => done.trajectory()),
      turns: noting(() => done.turns()),
    },
    forgeable: async () => (wasUsed ? reasonIn(handle) : null),
  };
}
