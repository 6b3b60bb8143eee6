import type { Runtime } from './core.js';

/** Returns the names of keys and addresses that plugins have asked for in vain until now. */
export type UnsetSettings = () => string[];

// MODEL_MAX_TOKEN is a number.
const NEEDED = /(?<!MAX)_(KEY|TOKEN|SECRET|URL|ENDPOINT|HOST)$/;
/** Enough to see which ones are meant. */
const SHOWN = 5;

/** Remembers which settings of a runtime have no value. */
export function watchSettings(runtime: Runtime): UnsetSettings {
  const unset = new Set<string>();
  const getSetting = runtime.getSetting.bind(runtime);
  runtime.getSetting = (name, ...more) => {
    const value = getSetting(name, ...more);
    if (NEEDED.test(name) && (value == null || value === '')) unset.add(name);
    return value;
  };
  return () => [...unset].slice(0, SHOWN);
}
