import type { SweepDocument } from '#decide';
import { parameterTables, type ParameterTable } from './parameter-tables.js';
import { subjectTable } from './subject-tokens.js';

/** Returns the tables about a sweep as a whole, without those that would be empty. `mostTrajectories`: of each value of a parameter. */
export const sweepTables = (
  { parameters = [], subject_tokens = [] }: Pick<SweepDocument, 'parameters' | 'subject_tokens'>,
  mostTrajectories: number,
): ParameterTable[] => [
  ...(subject_tokens.length === 0 ? [] : [subjectTable(subject_tokens)]),
  ...parameterTables(parameters, mostTrajectories),
];
