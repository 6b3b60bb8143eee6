import { availableParallelism, hostname } from 'node:os';
import { resolve } from 'node:path';
import {
  checkMetricsAddress,
  checkVersioning,
  type EngineState,
  type HostSettings,
  keep,
  readCodecKeys,
  readEngineState,
  readMetricsAddress,
  resolveTemporalAddress,
  taskQueueOf,
  type TemporalAddress,
  withClient,
  workerIsUp,
} from '#engine';
import { ignoreOutputErrors, isAlive } from '#host';
import { InfrastructureError, limitsOf, UsageError } from '#lib';
import { joinSharedProject } from '#store';
import { readEnvFile } from './shared/option-values.js';
import { printNotice } from './shared/output.js';

const ANSWER_MS = 5000;

interface HostOptions {
  results: string;
  address?: string;
  namespace?: string;
  slots?: number;
  agents: string[];
  label: string[];
  name?: string;
  envFile?: string;
  metrics?: string;
}

/**
 * `worker`: makes this machine a host of shared results until it is stopped. Runs the keeper in the foreground, so that
 * in a container agents outlive a worker that dies.
 */
export async function runHost(options: HostOptions): Promise<number> {
  const found = resolveTemporalAddress(options.address);
  if (found === null)
    throw new UsageError(
      'no_server',
      'a host needs the Temporal server that all hosts use; name it with --address, TEMPORAL_ADDRESS, or a profile in the configuration file of Temporal',
    );
  const external = options.namespace === undefined ? found : { ...found, namespace: options.namespace };
  const host = settingsOf(options);
  readCodecKeys(); // reports a damaged file now
  readMetricsAddress(options.metrics);
  const { id, location, resultsPath, stateFolder } = await joinSharedProject(options.results, {
    create: printNotice,
  });
  const other = await readEngineState(stateFolder);
  if (other !== null && isAlive(other.keeper))
    throw new InfrastructureError(
      `this machine is already a host of ${location} (pid ${other.keeper.pid}); to start a second host here, set another LLM_TOOL_TEST_HOME`,
    );
  // A worker that is still running serves its metrics at the address, and is taken over.
  if (other === null || !workerIsUp(other)) await checkMetricsAddress(options.metrics);
  // The keeper passes its environment to the worker.
  if (options.metrics !== undefined) process.env['LLM_TOOL_TEST_METRICS'] = options.metrics;
  await checkServer(external, id);
  ignoreOutputErrors();
  printNotice(`host ${host.name}: ${host.slots} slots, results in ${location}, Temporal at ${external.address}`);
  const onChange = createReporter(host.name);
  await keep({ resultsPath, external, idleMs: null, limits: limitsOf(process.env), host, onChange });
  const state = await readEngineState(stateFolder);
  if (state?.phase !== 'failed') return 0;
  throw new InfrastructureError(state.message);
}

/** A server that does not answer yet is waited for. @throws InfrastructureError if it is too old for hosts */
async function checkServer(external: TemporalAddress, projectId: string): Promise<void> {
  const check = withClient(external, { timeoutMs: ANSWER_MS, signal: AbortSignal.timeout(ANSWER_MS) }, (client) =>
    checkVersioning(client, taskQueueOf(projectId)).then(
      () => null,
      (error: unknown) => (error as Error).message,
    ),
  );
  const problem = await check.catch(() => null);
  if (problem !== null) throw new InfrastructureError(problem);
}

function settingsOf({ slots, agents, label, name, envFile }: HostOptions): HostSettings {
  readEnvFile(envFile); // reports a damaged file now instead of in the first run
  return {
    name: name ?? hostname(),
    slots: slots ?? availableParallelism(),
    labels: [...new Set(label)].sort(),
    agents: agents.length === 0 ? null : agents,
    envFile: envFile === undefined ? null : resolve(envFile),
  };
}

/** Returns a function that reports what the keeper does, each thing once. */
function createReporter(name: string): (state: EngineState) => void {
  let last = '';
  return ({ phase, message, failing }) => {
    const now = failing == null ? (phase === 'ready' ? 'working' : message) : failing.message;
    if (now !== last && now !== '') printNotice(`host ${name}: ${now}`);
    last = now;
  };
}
