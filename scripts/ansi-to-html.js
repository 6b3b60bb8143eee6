// Converts terminal colours to HTML. Supports only the codes that picocolors writes.

/** @type {Record<string, string>} */
const STYLES = {
  1: 'font-weight:bold',
  2: 'opacity:.6',
  4: 'text-decoration:underline',
  30: 'color:#6e7681',
  31: 'color:#ff7b72',
  32: 'color:#56d364',
  33: 'color:#e3b341',
  34: 'color:#79c0ff',
  35: 'color:#d2a8ff',
  36: 'color:#76e3ea',
  37: 'color:#d6dde6',
  90: 'color:#8b949e',
};
/** @type {Record<string, string[]>} */
const ENDS = { 22: ['1', '2'], 24: ['4'], 39: ['30', '31', '32', '33', '34', '35', '36', '37', '90'] };

/** @param {string} text */
const escape = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** @param {string} text */
export function ansiToHtml(text) {
  /** @type {Set<string>} */
  let on = new Set();
  const parts = text.replace(/\r/g, '').split(/\u001b\[([\d;]*)m/);
  return parts
    .map((part, at) => {
      if (at % 2 === 0) {
        const style = [...on].map((code) => STYLES[code]).filter((name) => name !== undefined);
        return style.length === 0 || part === ''
          ? escape(part)
          : `<span style="${style.join(';')}">${escape(part)}</span>`;
      }
      for (const code of part.split(';')) {
        if (code === '' || code === '0') on = new Set();
        else if (code in ENDS) ENDS[code]?.forEach((ended) => on.delete(ended));
        else on.add(code);
      }
      return '';
    })
    .join('');
}
