import type { Core, Uuid } from './core.js';

/** Where messages come from, and who registers models. */
export const SOURCE = 'llm-tool-test';

/** Who talks where. The ids are the same in each run. */
export interface Identity {
  agent: Uuid;
  user: Uuid;
  room: Uuid;
  world: Uuid;
}

export const identityOf = (core: Core, agent: Uuid): Identity => ({
  agent,
  user: core.stringToUuid(`${SOURCE} user`),
  room: core.stringToUuid(`${SOURCE} room`),
  world: core.stringToUuid(`${SOURCE} world`),
});
