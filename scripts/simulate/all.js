import { cells } from './cells.js';
import { errors } from './errors.js';
import { fixed } from './fixed.js';
import { judge } from './judge.js';
import { means } from './means.js';
import { nights } from './nights.js';
import { scenarios } from './scenarios.js';
import { sequential } from './sequential.js';

export { example } from './example.js';
export { measure } from './measure.js';

const parts = { fixed, cells, sequential, errors, scenarios, means, judge, nights };

export const PARTS = [...Object.keys(parts), 'example'];

/** @param {readonly string[]} names */
export const criteriaOf = (names) =>
  Object.entries(parts).flatMap(([name, criteria]) => (names.includes(name) ? criteria : []));
