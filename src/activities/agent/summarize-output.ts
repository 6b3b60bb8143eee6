import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import {
  type Classified,
  type Contradiction,
  createContradictionFinder,
  createEndTracker,
  isUnexplained,
} from '#agents';
import { beginningOf } from '#lib';
import {
  type AgentRecord,
  type CommandRecord,
  createTrajectoryCollector,
  efficiencyOf,
  type EventBody,
  hasProblems,
  outputWarnings,
  recordedUsage,
  type TokenUsage,
  UNREAD,
} from '#model';
import { commandsBefore } from './commands-before.js';
import { contextMessage, firstStartOf, userMessageOf, stepOfTurn, turnsBefore, turnSecs } from './turns.js';
import { firstRequestOf, incompleteAnswer, loggedUsage, unreportedUsage } from './session-log.js';
import { mcpEventsOf } from './mcp-servers.js';
import { type AgentOutput, lastSession, LOST_EXIT_CODE, sessionOf } from './outputs.js';
import { usageOf, wasInterrupted } from './usage.js';
import {
  callsOf,
  createTurnCollector,
  NAME_LENGTH,
  keepWithoutOutput,
  withContradictions,
  withUnseenResults,
} from './recorded-session.js';
import { MAX_OUTPUT, writeHuman, writeTranscripts } from './transcripts.js';
import type { AgentStep } from './agent-step.js';
import type { LoadedRun, RunIdentity } from '../run/context.js';

const STDERR_TAIL = 4096;
/** Number of failed commands that a gate names. */
const MAX_NAMED = 3;

/** A setup command as an event, which precedes the agent's. */
const setupEvent = ({ command, exit_code, timed_out, stdout, stderr }: CommandRecord): EventBody => ({
  type: 'setup_command',
  command,
  exit_code,
  timed_out,
  stdout,
  stderr,
});

const systemEvent = (text: string): EventBody => ({ type: 'message', role: 'system', text });

/**
 * Reads the agent's output, whatever its size, and writes events.jsonl and the transcripts of its last session,
 * redacted. Keeps in memory what later steps need of the events, without the output of tools. Tokens and costs of
 * earlier sessions count too: they were paid for. `outputs`: all starts, of which the last has ended.
 */
export async function summarizeOutput(
  context: LoadedRun,
  setup: CommandRecord[],
  outputs: readonly AgentOutput[],
): Promise<AgentStep> {
  const { agent, redact, run } = context;
  const session = lastSession(outputs);
  const [first, ended] = [session[0], session.at(-1)];
  if (first === undefined || ended === undefined) throw new Error('the agent left no output');
  const { meter, complete: counted } = await usageOf(context, outputs.slice(0, -session.length));
  const logged = await loggedUsage(context, session);
  const incomplete = await incompleteAnswer(context, context.environment, await sessionOf(context, [ended]));
  const reported: TokenUsage[] = [];
  const seen: EventBody[] = [];
  const inLastStart: EventBody[] = [];
  const trajectory = createTrajectoryCollector();
  // For the last start only: what ended the earlier ones has been waited out.
  const end = createEndTracker();
  const ends = new Set<number>();
  const parser = agent.parser();
  const contradictions = createContradictionFinder(parser);
  let found: Contradiction[] = [];
  let last = first.start;
  const before = await turnsBefore(context);
  const message = await userMessageOf(context);
  const turn = createTurnCollector(context, { before, outputs });
  let complete = counted;
  let classified: Classified = { ending: 'crashed', message: '', again: null };
  const emit = (body: EventBody, start: number): void => {
    if (body.type === 'result') ends.add(start);
    if (start !== last) contradictions.begin();
    last = start;
    contradictions.add(body);
    keepWithoutOutput(body, seen);
    if (start === ended.start) {
      end.add(body);
      keepWithoutOutput(body, inLastStart);
    }
    meter.add(body);
    if (body.type === 'usage') reported.push(body);
    trajectory.add(body);
    turn.add(body, start);
  };
  const commandsRun = await commandsBefore(context);
  const system = await contextMessage(context);
  const stderr = stderrTail(ended.stderr);
  const leftOut = await writeTranscripts(context, session, () => agent.parser(), {
    before: [...[...setup, ...commandsRun].map(setupEvent), ...(system === null ? [] : [systemEvent(system)])],
    messages: new Map([
      ...before.flatMap(({ turn }, index): [number, string][] =>
        turn === undefined || index === 0 ? [] : [[turn.first, turn.user]],
      ),
      ...(before.length === 0 ? [] : [[firstStartOf(before), message] as const]),
    ]),
    mcp: await mcpEventsOf(context, session),
    emit,
    after: (usagePending) => {
      const exitCode = ended.exitCode ?? LOST_EXIT_CODE;
      const isIncomplete = incomplete !== null && isUnexplained(end.read());
      if (isIncomplete) end.add(incomplete);
      classified = agent.classify({
        exitCode,
        stopped: ended.stopped,
        at: ended.endedAt,
        printedAt: ended.printedAt,
        stderr,
        ...end.read(),
      });
      found = contradictions.end(ended);
      complete &&= session.every((one) => !wasInterrupted(one) || ends.has(one.start)) && !usagePending;
      complete &&= found.every(({ unknown }) => !unknown.includes('usage'));
      return [
        ...(isIncomplete ? [incomplete] : []),
        ...(complete ? [] : unreportedUsage(logged, reported)),
        { type: 'result', ending: classified.ending, exit_code: ended.exitCode },
      ];
    },
  });
  const { ending, again } = classified;
  const hung = ending === 'done' && ended.stopped !== null;
  const lastEvent = lastSessionEvent(seen);
  const { commands, inText, withoutResult } = callsOf(context, parser, { seen, inLastStart, session });
  const recorded = withContradictions(withUnseenResults(trajectory.end(inText), withoutResult), found);
  const { problems } = leftOut;
  // Events are read to the end, and lines that were cut are damaged events. Text is searched only as far as the
  // transcripts go.
  const isTextCut = inText !== null && (leftOut.lines || leftOut.transcripts);
  const isEmpty = problems?.unread === true && problems.events === 0;
  const unread = recorded.unread === true || isTextCut || isEmpty;
  const unknownReason = unread ? UNREAD : (recorded.unseen?.calls ?? null);
  const record: AgentRecord = {
    ending,
    completed: ending === 'done',
    // An agent that was stopped because it did not exit has no exit status of its own.
    exit_code: hung ? null : ended.exitCode,
    message: redact(endMessage(context, classified, ended)),
    version: null,
    containment: null,
    login: false,
    session_id: lastEvent?.session_id ?? null,
    model_used: lastEvent?.model_used ?? null,
    duration_ms: outputs.reduce(
      (sum, output) => sum + (hung && output === outputs.at(-1) ? output.printedAt : output.endedAt) - output.startedAt,
      0,
    ),
    starts: ended.start,
    output_bytes: bytesOf(session),
    ...(inText === null ? {} : { text_output: true }),
    ...(problems === null || !hasProblems(problems) ? {} : { output_problems: problems }),
    ...recordedUsage(meter.read(), complete),
    ...(await firstRequestOf(context, session, before)),
    history: [],
  };
  await writeHuman(context, record);
  return {
    record,
    efficiency: unknownReason === null ? efficiencyOf(commands) : null,
    trajectory: {
      ...recorded,
      failed: commands
        .filter(({ failed }) => failed)
        .slice(0, MAX_NAMED)
        .map(({ line }) => beginningOf(line, NAME_LENGTH)),
      ...(unread ? { unread: true } : {}),
    },
    again,
    turn: turn.end(message, record),
    warnings: [
      ...(hung
        ? ['the agent did not exit after its final result, and was stopped; the time until then does not count']
        : []),
      ...(leftOut.transcripts
        ? [`the agent printed more than ${MAX_OUTPUT >> 20} MiB; the transcripts contain only the beginning`]
        : []),
      ...(problems === null ? [] : outputWarnings(problems)),
      ...found.filter(({ message }) => message !== unknownReason).map(({ message }) => `agent output: ${message}`),
      // Without its server, a run says nothing about it, whether or not a gate looks.
      ...new Set(
        recorded.mcp.problems.map(({ server, message }) => redact(`the MCP server ${server} under test: ${message}`)),
      ),
      ...(unknownReason === UNREAD
        ? ["not all of the agent's output could be read, so what it did is not fully known"]
        : unknownReason === null
          ? []
          : [`what the agent did is not fully known: ${unknownReason}`]),
    ],
  };

  function endMessage(of: RunIdentity, { ending, message }: Classified, { stopped }: AgentOutput): string {
    // The agent had ended before it was stopped, or its provider had not served it.
    if (ending === 'unable' || ending === 'done') return `agent ${run.cell.agent}: ${message}`;
    if (stopped === 'deadline') return `agent timed out after ${turnSecs(of)} s`;
    if (stopped === 'idle') return `agent stopped: no output for ${stepOfTurn(of).idle_timeout_secs ?? 0} s`;
    if (stopped === 'cost') return `agent stopped: it exceeded $${of.scenario.cost.max_usd ?? 0}`;
    return `agent ${run.cell.agent}: ${message}`;
  }
}

const bytesOf = (session: readonly AgentOutput[]): number =>
  session.flatMap(({ stdout, stderr }) => [stdout, stderr]).reduce((sum, file) => sum + statSync(file).size, 0);

const lastSessionEvent = (events: EventBody[]) => events.findLast((event) => event.type === 'session');

/** Returns the end of the agent's stderr. */
export function stderrTail(path: string): string {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const tail = Buffer.alloc(Math.min(size, STDERR_TAIL));
    const text = tail.toString('utf8', 0, readSync(file, tail, 0, tail.length, size - tail.length));
    // Drop half a character at the cut: redaction looks for the end of a secret right after the ellipsis.
    return tail.length < size ? `…${text.replace(/^\uFFFD+/, '')}` : text;
  } finally {
    closeSync(file);
  }
}
