import { join } from 'node:path';
import { z } from 'zod';
import type { JudgedFacts } from '#decide';
import { RunRecord } from '#model';
import { EffectiveScenario, judgeInputs } from '#scenario';
import { readResultsFile, runFiles, scenarioFile } from '#store';

const Asked = z.object(RunRecord.pick({ asked: true }).shape);

/** Reads what the models that judged runs were asked, and what that has cost. What cannot be read is unknown. */
export function judgedFacts(resultsPath: string): JudgedFacts {
  const questions = new Map<string, string | null>();
  return {
    question({ scenario_hash: hash }) {
      const known = questions.get(hash);
      if (known !== undefined) return known;
      const read = ifReadable(() =>
        judgeInputs(readResultsFile(scenarioFile(resultsPath, hash), EffectiveScenario)),
      );
      questions.set(hash, read);
      return read;
    },
    cost({ metrics, results_dir: folder }) {
      const judge = metrics?.judge == null ? 0 : metrics.judge.cost_usd;
      const record =
        folder === null
          ? null
          : ifReadable(() => readResultsFile(runFiles(join(resultsPath, folder)).run, Asked));
      if (judge === null || record === null) return null;
      const asked = record.asked === undefined ? 0 : record.asked.cost_usd;
      return asked === null ? null : judge + asked;
    },
  };
}

function ifReadable<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
