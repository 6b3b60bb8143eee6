/** Names of steps, as used in manifests, reports and the live view. */
export const STEPS = {
  prepare: 'prepare',
  reuse: 'reuse',
  context: (index: number) => `context ${index + 1}`,
  /** A command before the agent. */
  command: (index: number) => `command ${index + 1}`,
  agent: (nth: number) => (nth === 1 ? 'agent' : `agent ${nth}`),
  /** A command after the agent. */
  post: (index: number) => `post ${index + 1}`,
  gate: (index: number) => `gate ${index + 1}`,
  evaluator: (index: number) => `evaluator ${index + 1}`,
  judge: 'judge',
  report: 'report',
  cleanUp: 'clean up',
} as const;

/** Kinds of steps in a scenario: an agent script whose answer the agent is given, the agent, or a command. */
export type StepKind = 'script' | 'agent' | 'command';

/** A step of a scenario with its name. */
export interface NamedStep<S> {
  step: S;
  name: string;
  /** Its title: `post script 1/2`. */
  label: string;
  /** Its index among the steps of its kind, from 0. */
  index: number;
  isAfterAgent: boolean;
}

/** Names the steps of a scenario, in order. A command after the agent is called a post script. */
export function nameSteps<S extends { kind: StepKind }>(steps: readonly S[]): NamedStep<S>[] {
  const agentAt = steps.findIndex(({ kind }) => kind === 'agent');
  const isAfter = (at: number): boolean => agentAt !== -1 && at > agentAt;
  return steps.map((step, at) => {
    const isAfterAgent = isAfter(at);
    const alike = steps.flatMap(({ kind }, other) => (kind === step.kind ? [other] : []));
    const together = alike.filter((other) => isAfter(other) === isAfterAgent);
    const nth = together.indexOf(at);
    const of = `${nth + 1}/${together.length}`;
    return { step, index: alike.indexOf(at), isAfterAgent, ...titleOf(step.kind, nth, of, isAfterAgent) };
  });
}

function titleOf(
  kind: StepKind,
  nth: number,
  of: string,
  isAfterAgent: boolean,
): Pick<NamedStep<unknown>, 'name' | 'label'> {
  switch (kind) {
    case 'script':
      return { name: STEPS.context(nth), label: `context ${of}` };
    case 'agent':
      return { name: STEPS.agent(nth + 1), label: 'agent' };
    case 'command':
      return isAfterAgent
        ? { name: STEPS.post(nth), label: `post script ${of}` }
        : { name: STEPS.command(nth), label: `command ${of}` };
  }
}
