import { open, stat } from 'node:fs/promises';
import type { AgentEnd, Classified } from '../agents/agent.js';
import { createBreather } from '../lib/breathe.js';
import { arrivalOf, readGrowth } from '../platform/growth.js';
import { linesOf } from '../platform/lines.js';
import { analyseTranscript, extractCommands, type Transcript } from '../results/analyse-transcript.js';
import { createPricer } from '../results/cost.js';
import type { EventBody, RunEvent } from '../results/events.js';
import type { AgentRecord, CommandRecord } from '../results/run-record.js';
import type { Efficiency } from '../results/schema.js';
import { createTrajectoryCollector, type RecordedTrajectory } from '../results/trajectory.js';
import { createUsageMeter } from '../results/usage-meter.js';
import type { RunContext } from './run-context.js';
import { OUTPUT_LIMIT, writeHuman, writeLines } from './transcripts.js';

/** What the agent step leaves for the steps after it. */
export interface AgentStep {
  record: AgentRecord;
  /** null when the agent was not started. */
  efficiency: Efficiency | null;
  /** null when the agent was not started. */
  trajectory: RecordedTrajectory | null;
}

/** One start of the agent that has ended, with its output files. */
export interface EndedStart {
  start: number;
  exitCode: number;
  stopped: AgentEnd['stopped'];
  stdout: string;
  stderr: string;
  growth: string;
  startedAt: number;
  endedAt: number;
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

/**
 * Reads what an agent wrote, however much that is, and writes events.jsonl and the transcripts, redacted. What later
 * steps need of the events is kept in memory, without the output that tools printed.
 */
export async function digestOutput(
  context: RunContext,
  setup: CommandRecord[],
  ended: EndedStart,
): Promise<AgentStep> {
  const { files, redact, agent, target, run } = context;
  const growth = await readGrowth(ended.growth);
  const parser = agent.parser();
  const seen: EventBody[] = [];
  const meter = createUsageMeter(run.cell.model, await createPricer(context.prices));
  const trajectory = createTrajectoryCollector();
  const stderr = await tail(ended.stderr);
  let classified: Classified = { ending: 'crashed', message: '', again: null };
  let seq = 0;
  const breathe = createBreather();
  await writeLines(files.events, async (write) => {
    const emit = (body: EventBody, at: number): void => {
      const event: RunEvent = { ts: new Date(at).toISOString(), seq: ++seq, attempt: ended.start, ...body };
      // As a whole, because a name such as "password" makes its value a secret.
      write(`${redact(JSON.stringify(withCut(event)))}\n`);
      remember(body, seen);
      meter.add(body);
      trajectory.add(body);
    };
    for (const record of setup) emit(setupEvent(record), ended.startedAt);
    await writeLines(files.rawTranscript, async (raw) => {
      for (const { text, end } of linesOf(ended.stdout)) {
        await breathe();
        if (end > OUTPUT_LIMIT) {
          raw(`[what follows the first ${OUTPUT_LIMIT} bytes is left out]\n`);
          break;
        }
        raw(`${redact(text)}\n`);
        for (const body of parser.line(text))
          emit(body, Math.min(arrivalOf(end, growth, ended.endedAt), ended.endedAt));
      }
      for (const { text, end } of linesOf(ended.stderr)) {
        await breathe();
        if (end > OUTPUT_LIMIT) break;
        raw(`[stderr] ${redact(text)}\n`);
      }
    });
    for (const body of parser.end()) emit(body, ended.endedAt);
    const { exitCode, stopped } = ended;
    classified = agent.classify({
      exitCode,
      stopped,
      at: ended.endedAt,
      result: last(seen, 'result'),
      error: last(seen, 'error'),
      stderr,
    });
    emit({ type: 'result', ending: classified.ending, exit_code: exitCode }, ended.endedAt);
  });
  const session = last(seen, 'session');
  const { tokens, costUsd, costSource } = meter.read();
  const text = function* (): Generator<string> {
    for (const line of linesOf(ended.stdout)) {
      if (line.end > OUTPUT_LIMIT) return;
      yield line.text;
    }
  };
  const transcript: Transcript = {
    events: seen,
    text: { [Symbol.iterator]: text },
    target: { binary: target.binary, commandPattern: target.command_pattern ?? null },
  };
  await writeHuman(context);
  return {
    record: {
      ending: classified.ending,
      completed: classified.ending === 'done',
      exit_code: ended.exitCode,
      message: redact(endMessage(context, classified.message, ended)),
      version: null,
      containment: null,
      session_id: session?.session_id ?? null,
      model_used: session?.model_used ?? null,
      duration_ms: ended.endedAt - ended.startedAt,
      starts: ended.start,
      output_bytes: (await stat(ended.stdout)).size + (await stat(ended.stderr)).size,
      token_usage: tokens,
      cost_usd: costUsd,
      cost_source: costSource,
      history: [],
    },
    efficiency: analyseTranscript(transcript),
    trajectory: trajectory.end(() => extractCommands(transcript).map(({ line }) => line)),
  };

  function endMessage(of: RunContext, message: string, { stopped }: EndedStart): string {
    if (stopped === 'deadline') return `agent timed out after ${of.timeout_secs} s`;
    if (stopped === 'idle') return `agent stopped: no output for ${of.scenario.run.idle_timeout_secs ?? 0} s`;
    if (stopped === 'cost') return `agent stopped: its cost passed $${of.scenario.cost.max_usd ?? 0}`;
    return `agent ${run.cell.agent}: ${message}`;
  }
}

/** An agent that shortens what a tool printed may cut a secret in two, which is found beside an ellipsis only. */
const withCut = (event: RunEvent): RunEvent =>
  event.type === 'tool_result' && event.truncated && !event.output.includes('…')
    ? { ...event, output: `${event.output}…` }
    : event;

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
    case 'error':
    case 'result':
      seen.push(body);
      break;
    case 'usage':
    case 'unknown':
    case 'message':
    case 'reasoning':
    case 'setup_command':
    case 'post_script':
      break;
  }
}

function last<T extends EventBody['type']>(
  events: EventBody[],
  type: T,
): Extract<EventBody, { type: T }> | null {
  const found = events.findLast((event) => event.type === type);
  return (found as Extract<EventBody, { type: T }> | undefined) ?? null;
}

async function tail(path: string): Promise<string> {
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
