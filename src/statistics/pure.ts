export { type Count, type Interval, isStratumTested as isTested, rate, type Stratum, sum } from './counts.js';
