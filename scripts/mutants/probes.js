/** @typedef {import('./mutants-of.js').Mutant} Mutant */

/**
 * Returns the source with calls of `globalThis.__reached` in the place of each mutant, which otherwise does what it
 * did.
 * @param {string} source
 * @param {readonly { id: number, mutant: Mutant }[]} probes
 */
export function withProbes(source, probes) {
  const inserts = probes.flatMap(({ id, mutant: { around } }) => {
    const call = `globalThis.__reached?.(${id})`;
    const width = around.end - around.start;
    const [open, close] = around.isStatement ? [`{ ${call}; `, ' }'] : [`(${call}, `, ')'];
    // Around the same place, the longer opens first and closes last.
    return [
      { at: around.start, order: -width, id, text: open },
      { at: around.end, order: width - Number.MAX_SAFE_INTEGER, id: -id, text: close },
    ];
  });
  let text = source;
  for (const insert of inserts.toSorted((a, b) => b.at - a.at || b.order - a.order || b.id - a.id))
    text = text.slice(0, insert.at) + insert.text + text.slice(insert.at);
  return text;
}
