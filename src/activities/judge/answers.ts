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

/** Answers that a disk has not taken yet. They are paid for: the next attempt keeps them, and does not ask again. */
const unkept = new Map<string, JudgeAnswer>();
const keyOf = ({ run }: RunContext, number: number): string => `${run.run}/${number}`;

/**
 * The answers that the judge has given in this run, in order; they stay when none of them could be used.
 * @throws ApplicationFailure, not to be tried again, for one that we have not kept: it is a vote
 */
export async function readAnswers(context: RunContext): Promise<JudgeAnswer[]> {
  const answers: JudgeAnswer[] = [];
  for (;;) {
    const number = answers.length + 1;
    const waiting = unkept.get(keyOf(context, number));
    if (waiting !== undefined) await keepAnswer(context, number, waiting);
    const text = await readTextIfThere(judgeAnswerFile(context.files, number));
    if (text === null) return answers;
    if (!(await isOurs(context, number, text)))
      throw ApplicationFailure.nonRetryable(`answer ${number} of the judge was altered`, ALTERED);
    answers.push(JudgeAnswer.parse(JSON.parse(text)));
  }
}

/** Answers lie in the results folder, for people to read; what proves them is in the private state. */
const sealFile = ({ state }: RunContext, number: number): string => join(state, 'answers', `${number}.json`);
const sealName = (number: number): string => `judge answer ${number}`;

async function isOurs(context: RunContext, number: number, text: string): Promise<boolean> {
  const { originKey, run, proven } = context;
  const seal = await readTextIfThere(sealFile(context, number));
  // One that an older build has kept.
  if (seal === null) return !proven;
  const read = readSigned(originKey, run.run, sealName(number), seal);
  return read.status === 'signed' && read.text === JSON.stringify({ sha256: sha256(text) });
}

/** Keeps an answer as the next one, redacted. One that the disk does not take is kept by the next attempt that reads them. */
export async function keepAnswer(context: RunContext, number: number, answer: JudgeAnswer): Promise<void> {
  const { files, redact, originKey, run } = context;
  const text = `${JSON.stringify(redactFields(answer, answerText, redact), null, 2)}\n`;
  const seal = sign(originKey, run.run, sealName(number), JSON.stringify({ sha256: sha256(text) }));
  unkept.set(keyOf(context, number), answer);
  // First: an answer without its seal would be refused.
  await writeFileAtomic(sealFile(context, number), seal, 0o600);
  await writeFileAtomic(judgeAnswerFile(files, number), text);
  unkept.delete(keyOf(context, number));
}

/** What the judge has left among the artifacts, relative to the run's folder: the prompt first, then the answers. */
export async function judgeArtifacts({ files }: RunContext): Promise<string[]> {
  const names = (await readdir(files.judge).catch(() => [])).filter((name) => !TEMPORARY.test(name));
  const number = (name: string): number => Number(/\d+/.exec(name)?.[0] ?? 0);
  return names.sort((a, b) => number(a) - number(b)).map((name) => `artifacts/judge/${name}`);
}
