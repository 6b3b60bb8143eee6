import { type EnvironmentHandle, environments } from '#environments';
import type { GateContext } from '#gates';

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
    forgeable: async () => (wasUsed ? environments[handle.type].forgeryRisk(handle) : null),
  };
}
