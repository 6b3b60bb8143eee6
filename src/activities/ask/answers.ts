import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { readSigned, readTextIfThere, remembered, sign, TEMPORARY, writeFileAtomic } from '#host';
import { sha256 } from '#lib';
import { JudgeAnswer, redactFields, STEPS } from '#model';
import { answerFile, answersFolder, callerFolder } from '#store';
import { ALTERED } from '../step/run-step-once.js';
import type { LoadedRun, RunIdentity, RunPlaces } from '../run/context.js';

/**
 * Answers that could not be written to disk yet. They are paid for: the next attempt writes them and does not ask
 * again.
 */
const unsaved = remembered(() => new Map<string, JudgeAnswer>());
const keyOf = ({ files }: RunPlaces, caller: string, number: number): string => answerFile(files, caller, number);

/**
 * Returns the answers that a part of the run was given (`caller`: the judge, a gate, ...), in order. They stay even if
 * none of them could be used.
 * @throws ApplicationFailure (non-retryable) if an answer is not one that we stored: each is a vote
 */
export async function readAnswers(context: LoadedRun, caller: string): Promise<JudgeAnswer[]> {
  const answers: JudgeAnswer[] = [];
  for (;;) {
    const number = answers.length + 1;
    const waiting = unsaved().get(keyOf(context, caller, number));
    if (waiting !== undefined) await saveAnswer(context, caller, number, waiting);
    const text = await readTextIfThere(answerFile(context.files, caller, number));
    if (text === null) return answers;
    if (!(await isOurs(context, caller, number, text)))
      throw ApplicationFailure.nonRetryable(`answer ${number} of the ${caller} was modified`, ALTERED);
    answers.push(JudgeAnswer.parse(JSON.parse(text)));
  }
}

/** Answers are in the results folder, for people to read; what proves them (the seals) is in the private state. */
const sealFolder = (state: string, caller: string): string =>
  caller === STEPS.judge ? join(state, 'answers') : join(state, ASKED, callerFolder(caller));
const ASKED = 'asked';
const sealFile = ({ state }: RunIdentity, caller: string, number: number): string =>
  join(sealFolder(state, caller), `${number}.json`);
const sealName = (caller: string, number: number): string => `${callerFolder(caller)} answer ${number}`;

async function isOurs(context: RunIdentity, caller: string, number: number, text: string): Promise<boolean> {
  const { originKey, run } = context;
  const seal = await readTextIfThere(sealFile(context, caller, number));
  if (seal === null) return false;
  const read = readSigned(originKey, run.run, sealName(caller, number), seal);
  return read === JSON.stringify({ sha256: sha256(text) });
}

/**
 * Stores an answer under its number, redacted. If the disk cannot be written, the next attempt that reads the answers
 * stores it.
 */
export async function saveAnswer(
  context: LoadedRun,
  caller: string,
  number: number,
  answer: JudgeAnswer,
): Promise<void> {
  const { files, redact, originKey, run } = context;
  const text = `${JSON.stringify(redactFields(answer, JudgeAnswer, redact), null, 2)}\n`;
  const seal = sign(originKey, run.run, sealName(caller, number), JSON.stringify({ sha256: sha256(text) }));
  unsaved().set(keyOf(context, caller, number), answer);
  // The seal comes first: an answer without one would be rejected.
  await writeFileAtomic(sealFile(context, caller, number), seal, 0o600);
  await writeFileAtomic(answerFile(files, caller, number), text);
  unsaved().delete(keyOf(context, caller, number));
}

/** Returns the names of the folders of all parts of the run that were given an answer, except the judge, in order. */
export const otherCallers = async ({ state }: RunIdentity): Promise<string[]> =>
  sorted(await readdir(join(state, ASKED)).catch(() => []));

/**
 * Returns the files of an caller among the artifacts, relative to the run's folder: first the prompt, then the answers.
 */
export async function answerArtifacts({ files }: RunPlaces, caller: string): Promise<string[]> {
  const folder = answersFolder(files, caller);
  const names = (await readdir(folder).catch(() => [])).filter((name) => !TEMPORARY.test(name));
  return sorted(names).map((name) => relative(files.folder, join(folder, name)));
}

/** By their numbers: prompt.md, answer-1.json, answer-2.json, ..., answer-10.json. */
function sorted(names: string[]): string[] {
  const number = (name: string): number => Number(/\d+/.exec(name)?.[0] ?? 0);
  return names.sort((a, b) => number(a) - number(b) || (a < b ? -1 : 1));
}
