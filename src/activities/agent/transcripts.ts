import { closeSync, existsSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { StreamParser } from '#agents';
import { startFiles } from '#environments';
import { arrivalOf, createBelow, linesOf, readTimeline, temporaryName } from '#host';
import { createLineRedactor, createYielder } from '#lib';
import {
  addProblems,
  type AgentRecord,
  type CommandRecord,
  type EventBody,
  type OutputProblems,
  redactFields,
  RunEvent,
} from '#model';
import { renderHumanTranscript } from '#reports';
import { agentStepAt, firstAgentStep } from '#scenario';
import type { RunFiles } from '#store';
import type { TimedEvent } from '#subjects';
import { type AgentOutput, continuesSession } from './outputs.js';
import type { Manifest } from '../step/run-step-once.js';
import type { LoadedRun, RunPlaces, RunSecrets } from '../run/context.js';

/** More than anyone reads; redaction takes a second per 5 MB. The complete output stays in the private state folder. */
export const MAX_OUTPUT = 64 * 1024 * 1024;

/** Writes lines to a temporary file in the folder of a run, and renames it once all are written. */
async function writeLines(
  { folder }: RunFiles,
  path: string,
  fill: (line: (text: string) => void) => Promise<void>,
): Promise<void> {
  createBelow(dirname(folder), dirname(path)); // below the results folder
  const temporary = temporaryName(path);
  const file = openSync(temporary, 'w', 0o644);
  try {
    await fill((text) => void writeSync(file, text));
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}

/** Redacts lines of events. `redact` may become another one, once the agent has received a token. */
export const createEventRedactor = (redact: () => (text: string) => string): ((line: string) => string) =>
  createLineRedactor((line) => JSON.stringify(redactFields(JSON.parse(line) as RunEvent, RunEvent, redact())));

/** Events in events.jsonl in addition to those parsed from the agent's output. */
interface Emitting {
  before: EventBody[];
  /** The user's messages in later turns, each by the start that was given it first. */
  messages: ReadonlyMap<number, string>;
  /** The events of the MCP servers under test, by start. */
  mcp: ReadonlyMap<number, readonly TimedEvent[]>;
  /** Called with each event after it has been written. */
  emit: (event: EventBody, start: number) => void;
  /** Called when all output has been read. `usagePending`: the usage of an answer has not been reported. */
  after: (usagePending: boolean) => EventBody[];
}

/** The parts of a session's output that are missing from its transcripts or were not understood. */
interface LeftOut {
  /** True if the transcripts end before the output does. */
  transcripts: boolean;
  /** True if a line was too long to be read. */
  lines: boolean;
  /** Lines that are invalid or have numbers that cannot be right. Null for plain text. */
  problems: OutputProblems | null;
}

/**
 * Writes events.jsonl and transcript.raw.txt of a session, redacted. Output beyond `limit` bytes is not written but
 * still parsed: the agent's end and its usage come last.
 */
export async function writeTranscripts(
  context: RunPlaces & RunSecrets,
  session: readonly AgentOutput[],
  createParser: () => StreamParser,
  { before, messages, mcp, emit, after }: Emitting,
  limit = MAX_OUTPUT,
): Promise<LeftOut> {
  const { files, redact, agent } = context;
  const yieldIfDue = createYielder();
  const leftOut: LeftOut = { transcripts: false, lines: false, problems: null };
  const redactLine = createEventRedactor(() => redact);
  let parser = createParser();
  let usagePending = false;
  let seq = 0;
  /** Called when a parser has read everything. */
  const noteProblems = (): void => {
    const found = parser.problems?.();
    if (found !== undefined) leftOut.problems = addProblems(leftOut.problems, found);
  };
  await writeLines(files, files.events, async (writeEvent) => {
    const write = (body: EventBody, attempt: number, at: number): void => {
      const event: RunEvent = { ts: new Date(at).toISOString(), seq: ++seq, attempt, ...body };
      writeEvent(`${redactLine(JSON.stringify(withCut(event)))}\n`);
      emit(body, attempt);
    };
    await writeLines(files, files.rawTranscript, async (raw) => {
      for (const [index, output] of session.entries()) {
        const { start, stdout, stderr, startedAt, endedAt } = output;
        const previous = session[index - 1];
        if (previous !== undefined && !continuesSession(agent, output)) {
          for (const body of parser.end()) write(body, previous.start, previous.endedAt);
          usagePending ||= parser.usagePending();
          noteProblems();
          parser = createParser();
        }
        parser.begin?.(start);
        const message = messages.get(start);
        if (message !== undefined) write({ type: 'message', role: 'user', text: message }, start, startedAt);
        if (index === 0) for (const body of before) write(body, start, startedAt);
        else raw(`[start ${start}, in the same session]\n`);
        const growth = await readTimeline(output.growth);
        const beside = [...(mcp.get(start) ?? [])];
        const writeBeside = (until: number): void => {
          while (beside[0] !== undefined && beside[0].at <= until) {
            const { at, event } = beside.shift() as TimedEvent;
            write(event, start, at);
          }
        };
        let over = false;
        const [redactOut, redactError] = [createLineRedactor(redact), createLineRedactor(redact)];
        for (const { text, end, cut } of linesOf(stdout)) {
          await yieldIfDue();
          leftOut.lines ||= cut;
          if (end > limit) {
            if (!over) raw(`[only the first ${limit} bytes are shown]\n`);
            over = leftOut.transcripts = true;
            for (const body of parser.line(text)) emit(body, start);
            continue;
          }
          raw(`${redactOut(text)}\n`);
          const at = Math.min(arrivalOf(end, growth, endedAt), endedAt);
          writeBeside(at);
          for (const body of parser.line(text)) write(body, start, at);
        }
        writeBeside(Infinity);
        for (const { text, end } of linesOf(stderr)) {
          await yieldIfDue();
          if (end > limit) {
            leftOut.transcripts = true;
            break;
          }
          raw(`[stderr] ${redactError(text)}\n`);
        }
      }
    });
    const last = session.at(-1);
    if (last === undefined) return;
    for (const body of parser.end()) write(body, last.start, last.endedAt);
    noteProblems();
    for (const body of after(usagePending || parser.usagePending())) write(body, last.start, last.endedAt);
  });
  return leftOut;
}

/**
 * Marks output that the agent has shortened with an ellipsis: the cut may divide a secret, and redaction finds part of
 * a secret only next to an ellipsis.
 */
const withCut = (event: RunEvent): RunEvent =>
  event.type === 'tool_result' && event.truncated && !event.output.includes('…')
    ? { ...event, output: `${event.output}…` }
    : event;

/** Appends the post scripts to events.jsonl. Replaces those that are already there, so it can be repeated. */
export async function addPostScripts({ files }: RunPlaces, scripts: (Manifest<CommandRecord> | null)[]): Promise<void> {
  const yieldIfDue = createYielder();
  await writeLines(files, files.events, async (write) => {
    let last = { seq: 0, attempt: 1 };
    for (const { text } of linesOf(files.events, Infinity)) {
      await yieldIfDue();
      const event = JSON.parse(text) as RunEvent;
      if (event.type === 'post_script') continue;
      last = event;
      write(`${text}\n`);
    }
    let { seq } = last;
    for (const script of scripts) {
      if (script === null) continue;
      const { command, exit_code, timed_out, stdout, stderr } = script.result;
      const body: EventBody = { type: 'post_script', command, exit_code, timed_out, stdout, stderr };
      write(`${JSON.stringify({ ts: script.at, seq: ++seq, attempt: last.attempt, ...body })}\n`);
    }
  });
}

/** Writes the redacted output of the starts before the last one to attempts/: they were paid for too. */
export async function writeLostStarts(context: RunPlaces & RunSecrets, starts: number): Promise<void> {
  const yieldIfDue = createYielder();
  const { handle, files, redact } = context;
  for (let start = 1; start < starts; start++) {
    const { stdout, stderr } = startFiles(handle, start);
    await writeLines(files, join(files.attempts, `start-${start}`, 'transcript.raw.txt'), async (write) => {
      for (const path of [stdout, stderr].filter((path) => existsSync(path))) {
        const redactLine = createLineRedactor(redact);
        for (const { text, end } of linesOf(path)) {
          await yieldIfDue();
          if (end > MAX_OUTPUT) break;
          write(`${redactLine(text)}\n`);
        }
      }
    });
  }
}

/**
 * Writes the readable transcript from events.jsonl. Called again at the end, when events.jsonl contains the post
 * scripts.
 */
export async function writeHuman(context: LoadedRun, agent: AgentRecord): Promise<void> {
  const yieldIfDue = createYielder();
  const { files, run, scenario } = context;
  const about = {
    scenario: run.cell.scenario,
    agent: run.cell.agent,
    model: run.cell.model,
    prompt: agentStepAt(scenario, firstAgentStep(scenario)).prompt,
    used: agent,
  };
  const events = function* (): Generator<RunEvent> {
    for (const { text } of linesOf(files.events, Infinity)) yield JSON.parse(text) as RunEvent;
  };
  await writeLines(files, files.humanTranscript, async (write) => {
    for (const piece of renderHumanTranscript({ ...about, prompt: context.redact(about.prompt) }, events())) {
      await yieldIfDue();
      write(piece);
    }
  });
}
