import type { Calibrations } from '../calibration/document.js';
import { judgeWarnings } from '../calibration/judge-notes.js';
import type { Comparison } from './document.js';

/** Returns what is known of the models that judged each side. */
export function comparedCalibrations({
  calibration,
  gate_calibration: gates,
}: Pick<Comparison, 'calibration' | 'gate_calibration'>): { base: Calibrations; head: Calibrations } {
  const side = (name: 'base' | 'head'): Calibrations => ({
    judges: calibration?.[name] ?? [],
    gates: gates?.[name] ?? [],
  });
  return { base: side('base'), head: side('head') };
}

/** Returns the sentences about models that are not shown to agree with people, each once. */
export function comparedJudgeWarnings(comparison: Comparison): string[] {
  const { base, head } = comparedCalibrations(comparison);
  return [...new Set([...judgeWarnings(base), ...judgeWarnings(head)])];
}
