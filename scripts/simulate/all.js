export * from './fixed.js';
export * from './cells.js';
export * from './sequential.js';
export * from './measure.js';
