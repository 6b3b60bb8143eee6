import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { sha256 } from '../../lib/hash.js';
import { readSigned, sign } from '../../platform/origin.js';
import { readTextIfThere } from '../../platform/fs/read-file.js';
import { TEMPORARY, writeFileAtomic } from '../../platform/fs/write-file.js';
import { JudgeAnswer } from '../../results/records/judgment.js';
import { redactFields } from '../../results/records/redact-fields.js';
import { answerText } from '../../results/records/text-fields.js';
import { judgeAnswerFile } from '../../store/results-folder.js';
import { ALTERED } from '../step/run-step-once.js';
import type { RunContext } from '../step/run-context.js';

/**
 * Answers that could not be written to disk yet. They are paid for: the next attempt writes them and does not ask
 * again.
 */
const unsaved = new Map<string, JudgeAnswer>();
const keyOf = ({ run }: RunContext, number: number): string => `${run.run}/${number}`;

/**
 * Returns the judge's answers in this run, in order. They stay even if none of them could be used.
 * @throws ApplicationFailure (non-retryable) if an answer is not one that we stored: each is a vote
 */
export async function readAnswers(context: RunContext): Promise<JudgeAnswer[]> {
  const answers: JudgeAnswer[] = [];
  for (;;) {
    const number = answers.length + 1;
    const waiting = unsaved.get(keyOf(context, number));
    if (waiting !== undefined) await saveAnswer(context, number, waiting);
    const text = await readTextIfThere(judgeAnswerFile(context.files, number));
    if (text === null) return answers;
    if (!(await isOurs(context, number, text)))
      throw ApplicationFailure.nonRetryable(`answer ${number} of the judge was modified`, ALTERED);
    answers.push(JudgeAnswer.parse(JSON.parse(text)));
  }
}

/** Answers are in the results folder, for people to read; what proves them (the seal) is in the private state. */
const sealFile = ({ state }: RunContext, number: number): string => join(state, 'answers', `${number}.json`);
const sealName = (number: number): string => `judge answer ${number}`;

async function isOurs(context: RunContext, number: number, text: string): Promise<boolean> {
  const { originKey, run, proven } = context;
  const seal = await readTextIfThere(sealFile(context, number));
  // An answer stored by an older build has no seal.
  if (seal === null) return !proven;
  const read = readSigned(originKey, run.run, sealName(number), seal);
  return read.status === 'signed' && read.text === JSON.stringify({ sha256: sha256(text) });
}

/**
 * Stores an answer under its number, redacted. If the disk cannot be written, the next attempt that reads the answers
 * stores it.
 */
export async function saveAnswer(context: RunContext, number: number, answer: JudgeAnswer): Promise<void> {
  const { files, redact, originKey, run } = context;
  const text = `${JSON.stringify(redactFields(answer, answerText, redact), null, 2)}\n`;
  const seal = sign(originKey, run.run, sealName(number), JSON.stringify({ sha256: sha256(text) }));
  unsaved.set(keyOf(context, number), answer);
  // The seal comes first: an answer without one would be rejected.
  await writeFileAtomic(sealFile(context, number), seal, 0o600);
  await writeFileAtomic(judgeAnswerFile(files, number), text);
  unsaved.delete(keyOf(context, number));
}

/** Returns the judge's files among the artifacts, relative to the run's folder: first the prompt, then the answers. */
export async function judgeArtifacts({ files }: RunContext): Promise<string[]> {
  const names = (await readdir(files.judge).catch(() => [])).filter((name) => !TEMPORARY.test(name));
  const number = (name: string): number => Number(/\d+/.exec(name)?.[0] ?? 0);
  return names.sort((a, b) => number(a) - number(b)).map((name) => `artifacts/judge/${name}`);
}
