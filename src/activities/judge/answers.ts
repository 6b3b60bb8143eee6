import { readdir } from 'node:fs/promises';
import { readJsonIfThere } from '../../platform/read-file.js';
import { TEMPORARY, writeFileAtomic } from '../../platform/write-file.js';
import { JudgeAnswer } from '../../results/judgment.js';
import { judgeAnswerFile } from '../../store/results-folder.js';
import type { RunContext } from '../step/run-context.js';

/** The answers that the judge has given in this run, in order; they stay when none of them could be used. */
export async function readAnswers({ files }: RunContext): Promise<JudgeAnswer[]> {
  const answers: JudgeAnswer[] = [];
  for (;;) {
    const answer = await readJsonIfThere<JudgeAnswer>(judgeAnswerFile(files, answers.length + 1));
    if (answer === null) return answers;
    answers.push(JudgeAnswer.parse(answer));
  }
}

/** Keeps an answer as the next one, redacted. */
export async function keepAnswer(
  { files, redact }: RunContext,
  number: number,
  answer: JudgeAnswer,
): Promise<void> {
  await writeFileAtomic(judgeAnswerFile(files, number), `${redact(JSON.stringify(answer, null, 2))}\n`);
}

/** What the judge has left among the artifacts, relative to the run's folder: the prompt first, then the answers. */
export async function judgeArtifacts({ files }: RunContext): Promise<string[]> {
  const names = (await readdir(files.judge).catch(() => [])).filter((name) => !TEMPORARY.test(name));
  const number = (name: string): number => Number(/\d+/.exec(name)?.[0] ?? 0);
  return names.sort((a, b) => number(a) - number(b)).map((name) => `artifacts/judge/${name}`);
}
