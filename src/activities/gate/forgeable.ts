import type { EnvironmentHandle } from '../../environments/environment.js';
import type { GateContext } from '../../gates/gate.js';
import { findExecutable } from '../../platform/process/find-executable.js';

/** The reason why an agent can forge what is recorded of it, by the environment. specs/explanation/security.md says more. */
const REASONS: Record<EnvironmentHandle['type'], string> = {
  local: 'environment local is no sandbox: the agent could write to what is recorded of it',
  bubblewrap: 'without perl, what the agent starts can write into what the agent prints; install perl',
  docker: 'what the agent prints is kept in its own container for a moment: it could change it there',
  e2b: 'what the agent prints is kept in its own sandbox for a moment: it could change it there',
};

type Recorded = Pick<GateContext, 'efficiency' | 'trajectory' | 'turns'>;

/** The reason why an agent can forge what is recorded of it in this environment; null if it cannot. */
async function reasonIn({ type }: Pick<EnvironmentHandle, 'type'>): Promise<string | null> {
  return type === 'bubblewrap' && (await findExecutable('perl')) !== null ? null : REASONS[type];
}

/** Notes whether a gate looks at what was recorded of the agent. */
export function watchEvidence<T extends Recorded>(
  done: T,
  handle: Pick<EnvironmentHandle, 'type'>,
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
