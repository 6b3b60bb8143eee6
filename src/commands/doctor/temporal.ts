import {
  assertNamespace,
  connect,
  lookForTemporal,
  namespaceProblem,
  readEngineState,
  resolveTemporalAddress,
  TEMPORAL_CLI_VERSION,
  type TemporalAddress,
  temporalVersion,
  UnusableNamespace,
} from '#engine';
import { buildId, findExecutable, isAlive, isExecutable, ownCommand } from '#host';
import { InfrastructureError, UsageError } from '#lib';
import type { Finding } from '#reports';
import type { DoctorContext } from './context.js';

/** Checks the configured server, or else the executable that would be started. */
export async function temporal(context: DoctorContext): Promise<Finding> {
  let server;
  try {
    server = resolveTemporalAddress(context.address);
  } catch (error) {
    return {
      status: 'problem',
      message: (error as Error).message,
      remedy: 'correct that configuration, or unset the variables that begin with TEMPORAL_',
    };
  }
  const { doctorMs } = context.limits;
  if (server !== null) return callServer(server, doctorMs);
  const found = lookForTemporal(() => context.cache);
  if (found === null) return notThereYet();
  const detail = { path: found.path, from: found.from };
  if (!isExecutable(found.path))
    return {
      status: 'problem',
      message: `${found.from}=${found.path}: not an executable file`,
      remedy: 'correct the variable, or unset it',
      detail,
    };
  try {
    const version = await temporalVersion(found.path, doctorMs);
    const from = found.from === 'LLM_TOOL_TEST_TEMPORAL_BIN' ? `by ${found.from}` : `from ${found.from}`;
    return {
      status: 'ok',
      message: `${found.path} (${from}), server ${version}`,
      detail: { ...detail, version },
    };
  } catch (error) {
    return {
      status: 'problem',
      message: (error as Error).message,
      remedy: 'install another Temporal CLI, or set LLM_TOOL_TEST_TEMPORAL_BIN to one',
      detail,
    };
  }
}

async function callServer(server: TemporalAddress, answerMs: number): Promise<Finding> {
  const { address, namespace } = server;
  const detail = { address, namespace };
  const where = `${address}, namespace ${namespace}`;
  const refused = (problem: string, remedy: string): Finding => ({
    status: 'problem',
    message: `${where}: ${problem}`,
    remedy,
    detail,
  });
  let client;
  try {
    client = await connect(server, answerMs);
  } catch (error) {
    if (error instanceof InfrastructureError || error instanceof UsageError)
      return refused(error.message, 'correct the settings that it names; see specs/how-to/temporal-cloud.md');
    return refused(
      'does not answer',
      'start it, correct the address (--address, TEMPORAL_ADDRESS), or omit it to use a local server',
    );
  }
  try {
    const lacks = await client.connection.withDeadline(Date.now() + answerMs, async () => {
      await assertNamespace(client);
      return namespaceProblem(client);
    });
    if (lacks !== null) return refused(lacks, 'run the command that fits your server');
    return { status: 'ok', message: `${where}: responds`, detail };
  } catch (error) {
    if (error instanceof UnusableNamespace) return refused(error.message, 'run the command that fits your server');
    return refused((error as { details?: string }).details ?? (error as Error).message, 'check TEMPORAL_NAMESPACE');
  } finally {
    await client.connection.close();
  }
}

function notThereYet(): Finding {
  const go = findExecutable('go');
  return {
    status: go === null ? 'warning' : 'info',
    message: `no Temporal CLI yet: the first run downloads ${TEMPORAL_CLI_VERSION}${go === null ? '' : `, or builds it with ${go}`}`,
    remedy:
      'or provide one yourself: `temporal` on PATH, LLM_TOOL_TEST_TEMPORAL_BIN, a server at TEMPORAL_ADDRESS' +
      (go === null ? '; or install Go, for machines that cannot download' : ''),
  };
}

/** Go is only needed on machines that have no Temporal CLI and cannot download one. */
export function go({ cache }: DoctorContext): Finding {
  const path = findExecutable('go');
  const needed = lookForTemporal(() => cache) === null;
  return {
    status: 'info',
    message: `${path ?? 'not installed'}${needed ? '' : '; not needed'}`,
  };
}

/** Reports which processes of the engine are running. Starts nothing. */
export async function engine({ engine: folder }: DoctorContext): Promise<Finding> {
  const engine = await readEngineState(folder);
  const parts = (['keeper', 'server', 'worker'] as const).flatMap((name) => {
    const process = engine?.[name] ?? null;
    return process !== null && isAlive(process) ? [{ name, pid: process.pid }] : [];
  });
  if (engine === null || parts.length === 0)
    return engine?.phase === 'failed'
      ? {
          status: 'warning',
          message: `failed: ${engine.message}`,
          remedy: `try again with ${ownCommand('engine start')}`,
        }
      : { status: 'info', message: 'not running; commands start it when needed' };
  const pids = parts.map(({ name, pid }) => `${name} ${pid}`).join(', ');
  const other = engine.build === buildId() ? '' : '; from another build, which the next command replaces';
  return {
    status: 'ok',
    message: `${engine.phase} at ${engine.address} (${pids})${other}`,
    detail: { phase: engine.phase, address: engine.address, pids: parts.map(({ pid }) => pid) },
  };
}
