import { open, stat } from 'node:fs/promises';
import type { Again, Classified } from '../../agents/agent.js';
import { createToldEnd } from '../../agents/told-end.js';
import { linesOf } from '../../platform/lines.js';
import { analyseTranscript, extractCommands, type Transcript } from '../../results/analyse-transcript.js';
import type { EventBody } from '../../results/events.js';
import type { AgentRecord, CommandRecord } from '../../results/run-record.js';
import type { Efficiency } from '../../results/schema.js';
import { createTrajectoryCollector, type RecordedTrajectory } from '../../results/trajectory.js';
import { contextMessage } from './context-message.js';
import type { RunContext } from '../step/run-context.js';
import { lastSession, LOST, type AgentOutput } from './outputs.js';
import { usageOf } from './usage.js';
import { OUTPUT_LIMIT, writeHuman, writeTranscripts } from './transcripts.js';

/** What a step that ran the agent leaves for the steps after it. */
export interface AgentStep {
  record: AgentRecord;
  /** null when the agent was not started. */
  efficiency: Efficiency | null;
  /** null when the agent was not started. Absent in what older builds left. */
  trajectory?: RecordedTrajectory | null;
  /** Whether it may do better later. Absent in what older builds left. */
  again?: Again | null;
}

const STDERR_TAIL = 4096;

/** Setup commands as events, before those of the agent. */
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
 * Reads what an agent wrote, however much that is, and writes events.jsonl and the transcripts of its last session,
 * redacted. What later steps need of the events is kept in memory, without the output that tools printed. Tokens and
 * money of earlier sessions count too: they were paid for. `outputs`: all starts, of which the last has ended.
 */
export async function digestOutput(
  context: RunContext,
  setup: CommandRecord[],
  outputs: readonly AgentOutput[],
): Promise<AgentStep> {
  const { agent, redact, target, run } = context;
  const session = lastSession(outputs);
  const [first, ended] = [session[0], session.at(-1)];
  if (first === undefined || ended === undefined) throw new Error('the agent left nothing to read');
  const { meter } = await usageOf(context, outputs.slice(0, -session.length));
  const seen: EventBody[] = [];
  const trajectory = createTrajectoryCollector();
  // Of the last start only: what ended the ones before it has been waited for.
  const told = createToldEnd();
  const emit = (body: EventBody, start: number): void => {
    remember(body, seen);
    if (start === ended.start) told.add(body);
    meter.add(body);
    trajectory.add(body);
  };
  const parser = agent.parser();
  const system = await contextMessage(context);
  const stderr = await stderrTail(ended.stderr);
  let classified: Classified = { ending: 'crashed', message: '', again: null };
  await writeTranscripts(context, session, parser, {
    before: [...setup.map(setupEvent), ...(system === null ? [] : [systemEvent(system)])],
    emit,
    after: () => {
      const exitCode = ended.exitCode ?? LOST;
      classified = agent.classify({
        exitCode,
        stopped: ended.stopped,
        at: ended.endedAt,
        stderr,
        ...told.read(),
      });
      return [{ type: 'result', ending: classified.ending, exit_code: ended.exitCode }];
    },
  });
  await writeHuman(context);
  const { ending, again } = classified;
  const said = lastSessionEvent(seen);
  const { tokens, costUsd, costSource } = meter.read();
  const transcript: Transcript = {
    events: seen,
    text: { [Symbol.iterator]: () => textOf(session) },
    target: { binary: target.binary, commandPattern: target.command_pattern ?? null },
  };
  return {
    record: {
      ending,
      completed: ending === 'done',
      exit_code: ended.exitCode,
      message: redact(endMessage(context, classified.message, ended)),
      version: null,
      containment: null,
      login: false,
      session_id: said?.session_id ?? null,
      model_used: said?.model_used ?? null,
      duration_ms: outputs.reduce((sum, output) => sum + output.endedAt - output.startedAt, 0),
      starts: ended.start,
      output_bytes: await bytesOf(session),
      token_usage: tokens,
      cost_usd: costUsd,
      cost_source: costSource,
      history: [],
    },
    efficiency: analyseTranscript(transcript),
    trajectory: trajectory.end(() => extractCommands(transcript).map(({ line }) => line)),
    again,
  };

  function endMessage(of: RunContext, message: string, { stopped }: AgentOutput): string {
    if (stopped === 'deadline') return `agent timed out after ${of.timeout_secs} s`;
    if (stopped === 'idle') return `agent stopped: no output for ${of.scenario.run.idle_timeout_secs ?? 0} s`;
    if (stopped === 'cost') return `agent stopped: its cost passed $${of.scenario.cost.max_usd ?? 0}`;
    return `agent ${run.cell.agent}: ${message}`;
  }
}

function* textOf(session: readonly AgentOutput[]): Generator<string> {
  for (const { stdout } of session) {
    for (const line of linesOf(stdout)) {
      if (line.end > OUTPUT_LIMIT) return;
      yield line.text;
    }
  }
}

async function bytesOf(session: readonly AgentOutput[]): Promise<number> {
  const sizes = session
    .flatMap(({ stdout, stderr }) => [stdout, stderr])
    .map(async (file) => (await stat(file)).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

const KEPT = 8 * 1024;

function remember(body: EventBody, seen: EventBody[]): void {
  switch (body.type) {
    case 'tool_result':
      seen.push({ ...body, output: '' });
      break;
    case 'tool_call':
      seen.push({
        ...body,
        input: body.command === null ? body.input : null,
        command: body.command?.slice(0, KEPT) ?? null,
      });
      break;
    case 'session':
      seen.push(body);
      break;
    case 'error':
    case 'result':
    case 'usage':
    case 'unknown':
    case 'message':
    case 'reasoning':
    case 'setup_command':
    case 'post_script':
      break;
  }
}

const lastSessionEvent = (events: EventBody[]) => events.findLast((event) => event.type === 'session');

/** The end of what an agent wrote to stderr. */
export async function stderrTail(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const length = Math.min(size, STDERR_TAIL);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const text = buffer.toString('utf8');
    // Half a character at the cut goes too: redaction looks right after the ellipsis for the end of a secret.
    return length < size ? `…${text.replace(/^\uFFFD+/, '')}` : text;
  } finally {
    await file.close();
  }
}
