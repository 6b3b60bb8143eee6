export { type Count, type Interval, isTested, rate, type Stratum, sum } from './counts.js';
