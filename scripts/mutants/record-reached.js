// A setup file of vitest: tells which probes (`probes.js`) the tests of each file reach.
import { afterAll, vi } from 'vitest';

/** @type {Set<number>} */
const reached = new Set();
Object.assign(globalThis, { __reached: (/** @type {number} */ id) => void reached.add(id) });
vi.resetModules(); // what modules do when they are loaded is reached by each file that imports them

afterAll(({}, file) => {
  Object.assign(file.meta, { reached: [...reached] });
});
