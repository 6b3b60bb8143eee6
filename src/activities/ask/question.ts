import type { JudgePrompt } from '#gates';
import type { Json } from '#lib';

/** How a model is to answer. */
export interface QuestionForm {
  /** Time limit of one answer. */
  timeoutSecs: number;
  /** The form of the answer, as a JSON schema; null: a text. Models may disregard it. */
  schema: Record<string, Json> | null;
  /** Without it, the model's own. Agents, and models that accept no other, disregard it. */
  temperature?: number;
  /** The most tokens of the answer. Agents disregard it. */
  maxTokens?: number;
}

/** A question of a part of a run to the model of the judge. */
export interface Question<A> {
  /** The part of the run that asks: its step, like `judge` or `gate 3`, or another name that is unique in the run. */
  asker: string;
  /** How many usable answers are wanted. */
  votes: number;
  form: QuestionForm;
  /** Composes the prompt, redacted. It is the same for every vote. */
  prompt: () => Promise<JudgePrompt>;
  /** Parses the text of an answer. */
  read: (text: string) => { ok: true; answer: A } | { ok: false; problem: string };
}
