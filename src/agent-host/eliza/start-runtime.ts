import { setTimeout as sleep } from 'node:timers/promises';
import { CannotSetUp } from '../cannot-set-up.js';
import { emit, messageOf } from '../events.js';
import type { Plugin, Runtime } from './core.js';

/** As long as ElizaOS itself waits for a service. */
const SERVICE_MS = 30_000;

/**
 * Initializes the runtime and waits for the services of its plugins, which start only after it. A service that does not
 * start is reported; the runtime works without it, and would only log this.
 * @throws CannotSetUp
 */
export async function startRuntime(runtime: Runtime, plugins: readonly Plugin[]): Promise<void> {
  const types = new Set(
    plugins.flatMap(({ services = [] }) => services.map(({ serviceType }) => serviceType)),
  );
  const loads = [...types].map(async (type): Promise<string | null> => {
    const started = runtime.getServiceLoadPromise(type).then(
      () => null,
      (error: unknown) => messageOf(error),
    );
    const late = `service ${type} did not start within ${SERVICE_MS / 1000} s`;
    return Promise.race([started, sleep(SERVICE_MS, late)]);
  });
  try {
    await runtime.initialize();
  } catch (error) {
    throw new CannotSetUp(`the runtime cannot be initialized: ${messageOf(error)}`, { cause: error });
  }
  for (const message of await Promise.all(loads))
    if (message !== null) emit({ type: 'error', message, retryable: false });
}
