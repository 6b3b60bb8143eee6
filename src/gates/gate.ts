import type { z } from 'zod';
import type { CommandResult, Json } from '#lib';
import type { Efficiency, Trajectory, Turn } from '#model';

/** The result of a check. `error` means that the check could not be performed, never that it failed. */
export type Verdict =
  | { status: 'pass'; message: string; detail?: Json }
  | { status: 'fail'; message: string; detail?: Json }
  | { status: 'error'; message: string; detail?: Json };

/** The state of a path in the workspace. Symlinks are only followed inside the workspace. */
export type FileStat =
  | { kind: 'file'; bytes: number; text: () => Promise<string | null> }
  | { kind: 'directory' }
  | { kind: 'missing' }
  | { kind: 'outside' }
  | { kind: 'unreadable'; reason: string };

/** The text of a file. Null if it is not a file or not UTF-8. */
export const fileText = async (look: FileStat): Promise<string | null> => (look.kind === 'file' ? look.text() : null);

/** The parts of checks that can be slow, because the input is large or malicious. They can be sent to a thread. */
export interface GateWork {
  /** For each text, whether the pattern matches a part of it or the whole. */
  matches: { input: { pattern: string; texts: string[]; whole: boolean }; result: boolean[] };
  /** Tells if the assertion holds for the value that the path finds in the JSON text. */
  holds: {
    input: { path: string; assertion: string; json: string };
    result: { ok: true } | { ok: false; message: string };
  };
}
export type WorkInput<K extends keyof GateWork> = GateWork[K]['input'];
export type WorkResult<K extends keyof GateWork> = GateWork[K]['result'];

/** A question to a model about what was done. */
export interface GateQuestion<A> {
  /** The model's task, and the rules for it. */
  instructions: string;
  /** Recorded texts by name. The model is told that they are data. */
  evidence: Record<string, string>;
  /** The form of the answer, which is a JSON object, as an example. */
  example: Record<string, Json>;
  /** The same as a JSON schema. */
  schema: Record<string, Json>;
  /** Parses the answer. */
  read: (answer: Record<string, Json>) => { ok: true; answer: A } | { ok: false; problem: string };
  /** The number of answers that are wanted. */
  votes: number;
  /** Time limit of each answer. */
  timeoutSecs: number;
  temperature?: number;
}

/** A program that writes rewards, in the container of a run. */
export interface VerifierRequest {
  tests: readonly string[];
  script: string;
  env: Readonly<Record<string, string>>;
  user?: string;
  timeout_secs: number;
}

/** A file that a verifier may have left; null if it has not, `unreadable` if it is no text or too large. */
type LeftFile = { text: string } | 'unreadable' | null;

/** The files that a verifier left, and how it ended. */
export interface VerifierFiles {
  exitCode: number | null;
  timedOut: boolean;
  /** The text that it printed; empty if that is too much. */
  output: string;
  /** reward.json and reward.txt. */
  json: LeftFile;
  text: LeftFile;
  /** Number of processes that the agent had left running: they can change what the tests look at. */
  processes: number;
}

/** Everything that a gate may access. */
export interface GateContext {
  /** Runs `sh -c command` in the workspace with the script environment and target.env. */
  exec(command: string, timeoutSecs: number): Promise<CommandResult>;
  /** Runs a verifier after the agent. Null if the run has no container; `lacking`: why the verifier has none. */
  verify(request: VerifierRequest): Promise<VerifierFiles | { lacking: string } | null>;
  /** The rewards that verifiers after steps have given, in order; none of those that gave none. */
  rewards(): Promise<Record<string, number>[]>;
  /** Looks at a path relative to the workspace. `text()` returns null if the content is not UTF-8. */
  look(path: string): Promise<FileStat>;
  /** Looks at a path in the checks folder, which is not in the workspace. */
  expected(path: string): Promise<FileStat>;
  /** Performs work that may be slow, without blocking anything else. Returns null if it does not finish in time. */
  work: <K extends keyof GateWork>(kind: K, input: WorkInput<K>, timeoutSecs: number) => Promise<WorkResult<K> | null>;
  /** The analysed transcript; null if there is none. */
  efficiency(): Promise<Efficiency | null>;
  /** The record of what the agent did and said; null if that was not recorded. */
  trajectory(): Promise<Trajectory | null>;
  /** The names of the skills under test. */
  skills(): string[];
  /** The turns of the conversation until now, in order; null if the agent did not work. */
  turns(): Promise<Turn[] | null>;
  /** The time that the agent worked, all its starts together; null if that was not recorded. */
  durationMs(): Promise<number | null>;
  /** Asks the model of the judge. Every answer is kept, and never requested again. Only for gates with `asks`. */
  ask<A>(question: GateQuestion<A>): Promise<A[]>;
}

/** A part of a scenario's subject, by its kind. `name`: null for any of the kind. `field`: where the gate names it. */
export interface CheckedUse {
  kind: 'skill' | 'mcp' | 'subagent' | 'hook';
  name: string | null;
  field: string;
}

/** One kind of gate: a file in `types/`, and a line in `index.ts`. */
export interface Gate<S extends z.ZodType> {
  schema: S;
  /** A few words for summaries that name what is checked ("notes.md"). */
  subject(spec: z.infer<S>): string;
  check(spec: z.infer<S>, context: GateContext): Promise<Verdict>;
  /** The number of answers of a model that the check may ask for; 0 or absent if it asks none. */
  asks?(spec: z.infer<S>): number;
  /** The part of the subject whose use it checks. Variants without that part are not checked by it. */
  checksUse?(spec: z.infer<S>): CheckedUse;
}

/** Infers the type of a gate's spec from its schema. */
export const defineGate = <S extends z.ZodType>(gate: Gate<S>): Gate<S> => gate;
