import { cells } from './cells.js';
import { errors } from './errors.js';
import { fixed } from './fixed.js';
import { futility } from './futility.js';
import { judge } from './judge.js';
import { looks } from './looks.js';
import { means } from './means.js';
import { nights, scheduled } from './nights.js';
import { retried } from './retried.js';
import { rewards } from './rewards.js';
import { scenarios } from './scenarios.js';
import { sequential } from './sequential.js';
import { shipped } from './shipped.js';
import { starts } from './starts.js';
import { shrinkage } from './shrinkage.js';

export { example } from './example.js';
export { measure } from './measure.js';
export { paid } from './paid.js';

const parts = {
  fixed,
  cells,
  shipped,
  sequential,
  rewards,
  futility,
  errors,
  retried,
  scenarios,
  shrinkage,
  means,
  looks,
  starts,
  judge,
  nights,
  scheduled,
};

export const PARTS = [...Object.keys(parts), 'example', 'paid'];

/** @param {readonly string[]} names */
export const criteriaOf = (names) =>
  Object.entries(parts).flatMap(([name, criteria]) => (names.includes(name) ? criteria : []));
