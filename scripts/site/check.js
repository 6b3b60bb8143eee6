// Checks the built site: every link within it leads to a page and to a heading, and no page loads anything from
// elsewhere.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('dist', import.meta.url));
const base = process.env['DOCS_BASE'] ?? '/';

const files = readdirSync(dist, { recursive: true, encoding: 'utf8' });
const pages = files.filter((name) => name.endsWith('.html') && name !== '404.html');
const texts = new Map(pages.map((page) => [page, readFileSync(join(dist, page), 'utf8')]));
const anchors = new Map(
  [...texts].map(([page, text]) => [page, new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))]),
);

/**
 * The file that an address leads to, below dist/.
 * @param {string} address
 * @param {string} page
 */
function fileOf(address, page) {
  const path = decodeURIComponent(address);
  const inside = path.startsWith(base) ? path.slice(base.length) : join(dirname(page), path);
  return inside === '' || inside.endsWith('/') ? join(inside, 'index.html') : inside;
}

/** @param {string} page @param {string} text @returns {string[]} */
function deadLinks(page, text) {
  return [...text.matchAll(/<a\s[^>]*?href="([^"]*)"/g)].flatMap(([, href = '']) => {
    const [address = '', anchor = ''] = href.replaceAll('&amp;', '&').split('#');
    if (/^[a-z]+:/i.test(address)) return [];
    const file = address === '' ? page : fileOf(address, page);
    if (!existsSync(join(dist, file))) return [`${page}: dead link ${href}`];
    const isDead = anchor !== '' && anchors.get(file)?.has(decodeURIComponent(anchor)) !== true;
    return isDead ? [`${page}: no heading for the link ${href}`] : [];
  });
}

/**
 * Returns the addresses that a browser would load from elsewhere.
 * @param {string} file
 * @param {string} text
 * @returns {string[]}
 */
const loaded = (file, text) =>
  [
    ...text.matchAll(/<(?:script|img|link|iframe|source)\s[^>]*?(?:src|href)="((?:https?:)?\/\/[^"]*)"/g),
    ...text.matchAll(/(?:@import\s|url\()\s*(?:url\()?["']?((?:https?:)?\/\/[^"')]*)/g),
  ].map(([, address]) => `${file}: loads ${address}`);

const styles = files.filter((name) => name.endsWith('.css'));
const problems = [
  ...[...texts].flatMap(([page, text]) => [...deadLinks(page, text), ...loaded(page, text)]),
  ...styles.flatMap((name) => loaded(name, readFileSync(join(dist, name), 'utf8'))),
];
for (const problem of problems) console.error(problem);
console.log(
  `${pages.length} pages, ${problems.length === 0 ? 'all links lead somewhere' : `${problems.length} problems`}`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
