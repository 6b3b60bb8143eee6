import { cells } from './cells.js';
import { fixed } from './fixed.js';
import { judge } from './judge.js';
import { means } from './means.js';
import { sequential } from './sequential.js';

export { measure } from './measure.js';

const parts = { fixed, cells, sequential, means, judge };

/** @param {readonly string[]} names none: all parts */
export const criteriaOf = (names) =>
  names.every((name) => Object.hasOwn(parts, name))
    ? Object.entries(parts).flatMap(([name, criteria]) =>
        names.length === 0 || names.includes(name) ? criteria : [],
      )
    : [];
