import { readFileSync, rmSync } from 'node:fs';
import { messageOf, randomFrom } from '#lib';
import { CANNOT_SET_UP, HOST_VARIABLES, type HostRequest } from './hosted.js';
import { CannotSetUp, emit, flushEvents } from './events.js';
import { endOfTurn, type PerformTurn, saveTurn, stateBefore, type TurnFailure } from './turn-state.js';

/*
 * The agent host: `node host-program.js REQUEST.json`, started in the workspace. It performs one turn with an agent
 * that consists of JavaScript. Events go to descriptor 3, everything that other code prints to stderr.
 */

/** Exit status if the turn failed. */
const FAILED = 1;

const file = process.argv[2] ?? '';
const request = JSON.parse(readFileSync(file, 'utf8')) as HostRequest;
rmSync(file); // it names the folder of the scenario, and the agent could read it
const key = takeVariable(HOST_VARIABLES.key);
const variables = JSON.parse(takeVariable(HOST_VARIABLES.values) || '{}') as Record<string, string>;

process.on('uncaughtException', (error) => {
  end(FAILED, `the agent crashed: ${messageOf(error)}`, error);
});
process.on('unhandledRejection', (reason) => {
  end(FAILED, `the agent crashed: ${messageOf(reason)}`, reason);
});

try {
  emit({
    type: 'session',
    session_id: request.sessionId,
    model_requested: request.model?.name ?? null,
    model_used: null,
  });
  const known = await endOfTurn(request);
  if (known !== null) report(known.failed);
  seedRandom(`${request.seed}\n${request.turn}`);
  const performTurn: PerformTurn =
    request.kind === 'eliza'
      ? (await import('./eliza/perform-turn.js')).performTurn
      : (await import('./module-turn.js')).performTurn;
  const ended = await performTurn({ request, key, variables, before: await stateBefore(request) });
  // Before the turn is recorded: if it is, its events are not printed again.
  flushEvents();
  if (ended.state !== null) await saveTurn(request, ended);
  report(ended.failed);
} catch (error) {
  end(error instanceof CannotSetUp ? CANNOT_SET_UP : FAILED, messageOf(error), error);
}

/** Reports how the turn ended, and exits even if timers and sockets of the agent are still open. */
function report(failed: TurnFailure | null): never {
  if (failed !== null) emit({ type: 'error', retryable: false, ...failed });
  emit({ type: 'result', ending: failed === null ? 'done' : 'failed', exit_code: null });
  process.exit(failed === null ? 0 : FAILED);
}

function end(status: number, message: string, cause: unknown): never {
  console.error(cause);
  emit({ type: 'error', message, retryable: false });
  process.exit(status);
}

/** Returns a variable, and removes it from what the agent's code sees. */
function takeVariable(name: string): string {
  const value = process.env[name] ?? '';
  Reflect.deleteProperty(process.env, name);
  return value;
}

/**
 * Makes `Math.random` return the same numbers in each run of a cell. ElizaOS shuffles parts of prompts with it, and a
 * prompt that changes from run to run would make runs differ for no reason.
 */
function seedRandom(seed: string): void {
  Math.random = randomFrom(seed);
}
