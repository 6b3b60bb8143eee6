export { type Admission, admit, costOwner, type CostOwner, maxCost, predictsCost } from './budget.js';
export { moversText } from './comparison/movers.js';
export { decisionMovers, decisionText, progressText } from './decision/decision-text.js';
export { isTested, testedOf } from './is-tested.js';
export { rateInterval } from './rate-interval.js';
