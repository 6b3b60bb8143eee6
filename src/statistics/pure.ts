export { type Count, type Interval, isStratumTested, rate, type Stratum, sum } from './counts.js';
export { wilsonInterval } from './wilson-interval.js';
