const WIDTH = 1600;
const ROW = 17;
/** Narrower ones cannot be seen. */
const LEAST = 0.3;
const CHARACTER = 6.2;

const escape = (/** @type {string} */ text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/**
 * Draws a tree of functions as an SVG of its own: the callers below, the width the time. A pointer shows name and time.
 * @param {string} title @param {import('./read-profile.js').Frame} root @param {number} cells that the time is for
 */
export function flameGraph(title, root, cells) {
  /** @type {{frame: import('./read-profile.js').Frame, x: number, depth: number}[]} */
  const boxes = [];
  const scale = WIDTH / root.total;
  /** @param {import('./read-profile.js').Frame} frame @param {number} x @param {number} depth */
  const place = (frame, x, depth) => {
    if (frame.total * scale < LEAST) return;
    boxes.push({ frame, x, depth });
    let at = x;
    for (const child of [...frame.children.values()].sort((a, b) => b.total - a.total)) {
      place(child, at, depth + 1);
      at += child.total * scale;
    }
  };
  place(root, 0, 0);
  const height = ROW * (boxes.reduce((most, { depth }) => Math.max(most, depth), 0) + 3);
  const hue = (/** @type {string} */ part) =>
    [...part].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7);
  const drawn = boxes.map(({ frame, x, depth }) => {
    const width = frame.total * scale;
    const y = height - ROW * (depth + 1);
    const shown = frame.name.slice(0, Math.max(0, Math.floor((width - 4) / CHARACTER)));
    const label = `${frame.name} (${frame.part}): ${(frame.total / cells).toFixed(2)} ms, ${((100 * frame.total) / root.total).toFixed(1)} %`;
    const box = `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${ROW - 1}" fill="hsl(${hue(frame.part)},60%,75%)"/>`;
    const text = shown.length < 3 ? '' : `<text x="${(x + 2).toFixed(1)}" y="${y + 12}">${escape(shown)}</text>`;
    return `<g><title>${escape(label)}</title>${box}${text}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="10">`,
    `<text x="4" y="14" font-size="13">${escape(title)}</text>`,
    ...drawn,
    '</svg>\n',
  ].join('\n');
}
