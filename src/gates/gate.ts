import type { z } from 'zod';
import type { CommandResult } from '../lib/command-result.js';
import type { Json } from '../lib/json.js';
import type { Efficiency } from '../results/records/result-line.js';
import type { Trajectory } from '../results/transcript/trajectory.js';

/** `error` means that the harness could not perform the check; it never stands for a failed check. */
export type Verdict =
  | { status: 'pass'; message: string; detail?: Json }
  | { status: 'fail'; message: string; detail?: Json }
  | { status: 'error'; message: string; detail?: Json };

/** What stands at a path of the workspace. Symlinks are followed inside the workspace only. */
export type FileStat =
  | { kind: 'file'; bytes: number; text: () => Promise<string | null> }
  | { kind: 'directory' }
  | { kind: 'missing' }
  | { kind: 'outside' }
  | { kind: 'unreadable'; reason: string };

/** Text of what was looked at; null where it is no file, or no UTF-8. */
export const fileText = async (look: FileStat): Promise<string | null> =>
  look.kind === 'file' ? look.text() : null;

/** What of a check takes long where the input is large, or made to be slow. Inputs and results can be sent to a thread. */
export interface GateWork {
  /** Which of the texts match the pattern, in part or as a whole. */
  matches: { input: { pattern: string; texts: string[]; whole: boolean }; result: boolean[] };
  /** Whether the assertion holds for what the path finds in the JSON text. */
  holds: {
    input: { path: string; assertion: string; json: string };
    result: { ok: true } | { ok: false; message: string };
  };
}
export type WorkInput<K extends keyof GateWork> = GateWork[K]['input'];
export type WorkResult<K extends keyof GateWork> = GateWork[K]['result'];

/** All that a gate may touch. */
export interface GateContext {
  /** Runs `sh -c command` in the workspace with the script environment and target.env. */
  exec(command: string, timeoutSecs: number): Promise<CommandResult>;
  /** Looks at a path relative to the workspace. `text()` is null where the content is not UTF-8. */
  look(path: string): Promise<FileStat>;
  /** Does what may take long, without holding up anything else; null where it is not done in time. */
  work: <K extends keyof GateWork>(
    kind: K,
    input: WorkInput<K>,
    timeoutSecs: number,
  ) => Promise<WorkResult<K> | null>;
  /** The analysed transcript; null when there is none. */
  efficiency(): Promise<Efficiency | null>;
  /** What the agent did and said; null when that was not recorded. */
  trajectory(): Promise<Trajectory | null>;
}

/** One kind of gate: one file, and one line in `index.ts`. */
export interface Gate<S extends z.ZodType> {
  schema: S;
  /** A few words that name what is checked, for summaries ("notes.md"). */
  subject(spec: z.infer<S>): string;
  check(spec: z.infer<S>, context: GateContext): Promise<Verdict>;
}

/** Gives a gate its spec's type from its schema. */
export const defineGate = <S extends z.ZodType>(gate: Gate<S>): Gate<S> => gate;
