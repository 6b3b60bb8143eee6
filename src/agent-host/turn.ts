import type { HostRequest } from './hosted.js';

/** A turn to perform. */
export interface Turn {
  request: HostRequest;
  /** Key of the provider of the cell's model; empty for none. */
  key: string;
  /** Values of variables that the setup refers to. */
  variables: Record<string, string>;
  /** The state after the turn before; null before the first turn. */
  before: unknown;
}

/** Why a turn failed. `status`: the HTTP status of the provider. */
export interface TurnFailure {
  message: string;
  status?: number;
}

/** How a turn ended. A turn that failed and left no state was not answered, and can be performed again. */
export type EndedTurn = { state: unknown; failed: TurnFailure | null } | { state: null; failed: TurnFailure };

export type PerformTurn = (turn: Turn) => Promise<EndedTurn>;
