/* What a module that is an agent exports (specs/reference/agents.md). */

/** Services by name. Methods that a scenario mocks are replaced in these objects. */
export type Services = Record<string, object>;

export interface TurnOfHistory {
  role: 'user' | 'assistant';
  text: string;
}

/** Performs an action and records it. Returns what it returns, or throws what it throws. */
export type Act = <T>(name: string, input: unknown, perform: () => T | Promise<T>) => Promise<T>;

interface AgentContext {
  services: Services;
  /** Asks the model of the cell; null if that is `default`. */
  model: ((prompt: string, options?: { system?: string }) => Promise<string>) | null;
  /** The conversation before this turn. */
  history: readonly TurnOfHistory[];
  /** What the turn before returned as `state`; null at first. */
  state: unknown;
  /** The character of the scenario; null if it has none. */
  character: unknown;
  /** Text that precedes the conversation; null for none. */
  system: string | null;
}

export interface Reply {
  text: string;
  thought?: string;
  /** Names of actions that were performed without `act`. */
  actions?: string[];
  /** JSON that is kept for the next turn. */
  state?: unknown;
}

export interface ModuleAgent {
  respond(input: string, turn: { act: Act }): Promise<string | Reply> | string | Reply;
}

export type CreateAgent = (context: AgentContext) => ModuleAgent | Promise<ModuleAgent>;
