import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A sampled function: the part of the program that it belongs to, and its name with the file.
 * @typedef {{part: string, name: string, children: Map<string, Frame>, self: number, total: number}} Frame
 */

/**
 * Reads a profile of V8 as a tree of the functions that were busy, in ms. Those in our bundles are named by their
 * sources.
 * @param {string} file
 */
export function readProfile(file) {
  /** @type {import('node:inspector').Profiler.Profile} */
  const { nodes, samples = [], timeDeltas = [] } = JSON.parse(readFileSync(file, 'utf8'));
  const selves = new Map();
  samples.forEach((id, at) => selves.set(id, (selves.get(id) ?? 0) + (timeDeltas[at] ?? 0) / 1000));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const source = createSourceOf();
  /** @param {import('node:inspector').Profiler.ProfileNode} node @param {Frame | null} into @returns {Frame} */
  const add = (node, into) => {
    const { part, name } = source(node.callFrame);
    const known = into?.children.get(name);
    const frame = known ?? { part, name, children: new Map(), self: 0, total: 0 };
    into?.children.set(name, frame);
    frame.self += selves.get(node.id) ?? 0;
    for (const id of node.children ?? []) {
      const child = byId.get(id);
      if (child !== undefined && child.callFrame.functionName !== '(idle)') add(child, frame);
    }
    return frame;
  };
  const [first] = nodes;
  if (first === undefined) throw new Error(`${file} is empty`);
  const root = add(first, null);
  total(root);
  return root;
}

/** @param {Frame} frame @returns {number} */
const total = (frame) =>
  (frame.total = [...frame.children.values()].reduce((sum, child) => sum + total(child), frame.self));

/** Returns a function that names the part and the source of a sampled function. */
function createSourceOf() {
  /** @type {Map<string, SourceMap | null>} */
  const maps = new Map();
  /** @param {string} file */
  const mapOf = (file) => {
    if (maps.has(file)) return maps.get(file);
    let map = null;
    try {
      map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
    } catch {
      // A bundle without a map is named by its own file.
    }
    maps.set(file, map);
    return map;
  };
  /** @param {import('node:inspector').Runtime.CallFrame} frame */
  return ({ functionName, url, lineNumber, columnNumber }) => {
    const name = functionName === '' ? '(anonymous)' : functionName;
    if (url === '') return { part: name.startsWith('(') ? name : 'V8', name };
    if (url.startsWith('node:')) return { part: 'Node', name: `${name} ${url}` };
    const file = url.startsWith('file:') ? fileURLToPath(url) : url;
    const dependency = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
    if (dependency !== undefined) return { part: dependency, name: `${name} ${dependency}/${basename(file)}` };
    const entry = mapOf(file)?.findEntry(lineNumber, columnNumber);
    const original = entry !== undefined && 'originalSource' in entry ? entry.originalSource : file;
    const [, within = basename(original), room] = /.*?((?:src\/([^/]+)\/|node_modules\/).*)/.exec(original) ?? [];
    return { part: room === undefined ? within : `src/${room}`, name: `${name} ${within}` };
  };
}

/**
 * Returns sums of a tree's functions, the largest first. `inside`: with all that a function calls, counted once where
 * it calls itself.
 * @param {Frame} root @param {(frame: Frame) => string | null} key @param {{inside: boolean}} how
 */
export function sums(root, key, { inside }) {
  /** @type {Map<string, number>} */
  const found = new Map();
  /** @param {Frame} frame @param {ReadonlySet<string>} above */
  const visit = (frame, above) => {
    const name = key(frame);
    if (name !== null && !(inside && above.has(name)))
      found.set(name, (found.get(name) ?? 0) + (inside ? frame.total : frame.self));
    const below = name === null || !inside ? above : new Set([...above, name]);
    for (const child of frame.children.values()) visit(child, below);
  };
  visit(root, new Set());
  return [...found].filter(([, ms]) => ms > 0).sort((a, b) => b[1] - a[1]);
}
