import { onTestFinished } from 'vitest';
import type { ScriptInput } from './model-server/script.js';
import { startModelServer, type ModelServer } from './model-server/server.js';

/** Starts a scripted model that is stopped at the end of the test. */
export async function serve(...scripts: ScriptInput[]): Promise<ModelServer> {
  const server = await startModelServer(scripts);
  onTestFinished(() => server.close());
  return server;
}
