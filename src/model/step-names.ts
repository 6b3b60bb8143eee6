/** Names of steps, as used in manifests, reports and the live view. */
export const STEPS = {
  /** Builds the image of the run's container. */
  image: 'image',
  /** Builds the image of the container in which a verifier works. */
  verifierImage: 'verifier image',
  prepare: 'prepare',
  reuse: 'reuse',
  context: (index: number) => `context ${index + 1}`,
  /** A command before the agent. */
  command: (index: number) => `command ${index + 1}`,
  /** `nth`: the agent is run again in the same turn if its provider did not serve it. */
  agent: (nth: number, turn = 1) =>
    turn === 1 ? (nth === 1 ? 'agent' : `agent ${nth}`) : nth === 1 ? `turn ${turn}` : `turn ${turn} run ${nth}`,
  /** A request of the agent `loop` to its model, from 1, within the step that runs the agent. */
  request: (agent: string, number: number) => `${agent} request ${number}`,
  /** A call of a tool that the model has asked for in a request, from 1. */
  call: (request: string, number: number) => `${request} call ${number}`,
  /** Decides whether the conversation is over after this turn. */
  ending: (turn: number) => `ending ${turn}`,
  /** The simulated user's message of this turn. */
  user: (turn: number) => `user ${turn}`,
  /** A command after the agent. */
  post: (index: number) => `post ${index + 1}`,
  /** `turn`: set for a gate that is checked after every turn of a conversation. */
  gate: (index: number, turn?: number) => `gate ${index + 1}${turn === undefined ? '' : ` turn ${turn}`}`,
  evaluator: (index: number) => `evaluator ${index + 1}`,
  judge: 'judge',
  report: 'report',
  cleanUp: 'clean up',
} as const;

/**
 * Kinds of steps in a scenario: an agent script whose answer the agent is given, one input for the agent, a
 * conversation with it, or a command.
 */
export type StepKind = 'script' | 'agent' | 'conversation' | 'command';

/** True if the agent works in a step. */
export const isAgentKind = (kind: StepKind): kind is 'agent' | 'conversation' =>
  kind === 'agent' || kind === 'conversation';

/** A step of a scenario with its name. */
export interface NamedStep<S> {
  step: S;
  name: string;
  /** Its title: `post script 1 of 2`. */
  label: string;
  /** Its index among the steps of its kind, from 0. */
  index: number;
  isAfterAgent: boolean;
}

/** Names the steps of a scenario, in order. A command after the first input is called a post script. */
export function nameSteps<S extends { kind: StepKind }>(steps: readonly S[]): NamedStep<S>[] {
  const agentAt = steps.findIndex(({ kind }) => isAgentKind(kind));
  const isAfter = (at: number): boolean => agentAt !== -1 && at > agentAt;
  return steps.map((step, at) => {
    const isAfterAgent = isAfter(at);
    const alike = steps.flatMap(({ kind }, other) => (kind === step.kind ? [other] : []));
    const together = alike.filter((other) => isAfter(other) === isAfterAgent);
    const nth = isAgentKind(step.kind)
      ? steps.slice(0, at).filter(({ kind }) => isAgentKind(kind)).length
      : together.indexOf(at);
    const of = `${nth + 1} of ${together.length}`;
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
    case 'conversation':
      // The first one has had this name since there could be only one.
      return { name: nth === 0 ? 'agent' : `input ${nth + 1}`, label: kind };
    case 'command':
      return isAfterAgent
        ? { name: STEPS.post(nth), label: `post script ${of}` }
        : { name: STEPS.command(nth), label: `command ${of}` };
  }
}
