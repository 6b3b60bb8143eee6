export { assertNever } from './assert-never.js';
export { shellWord } from './commands/command.js';
export { messageOf } from './errors/message-of.js';
export {
  counted,
  dollars,
  formatAge,
  formatBytes,
  formatCost,
  formatDuration,
  formatKnownCost,
  parseAge,
  shortKnownCost,
} from './format/amounts.js';
export { betweenText, levelText, pEquals, percent, points, pText } from './format/estimates.js';
export { beginningOf, endOf, plainText, withoutMiddle } from './format/truncate.js';
export {
  canonicalJson,
  defined,
  isFiniteJson,
  isJsonObject,
  isStorable,
  type Json,
  MAX_DEPTH,
  omit,
  ownValue,
  parseJson,
} from './json.js';
export { changedRunLimits, type Limits, LIMITS, limitsOf, type RunLimits, runLimitsIn } from './limits.js';
export { groupBy } from './lists.js';
export { safeName } from './safe-name.js';
export { SEARCH_ATTRIBUTES } from './search-attributes.js';
