import { CannotSetUp } from '../cannot-set-up.js';
import { loadModule } from '../load-module.js';
import type { Core } from './core.js';

const PACKAGE = '@elizaos/core';

/** Loads the user's ElizaOS. @throws CannotSetUp */
export async function loadCore(folder: string): Promise<Core> {
  const loaded = await loadModule(folder, PACKAGE);
  if (typeof loaded['AgentRuntime'] !== 'function' || typeof loaded['stringToUuid'] !== 'function')
    throw new CannotSetUp(
      `${PACKAGE} is not a version that is supported here; install it: npm install ${PACKAGE}@1`,
    );
  return loaded as unknown as Core;
}
