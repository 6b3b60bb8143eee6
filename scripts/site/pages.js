import { dirname, extname, join, relative } from 'node:path/posix';

/**
 * A file of the repository, and its place on the site. Documents link to files by their paths in the repository; on the
 * site, those outside `specs/` are pages too, so that no link leaves it.
 * @typedef {{ source: string, page: string }} Page
 */

/**
 * @param {string} source a path in the repository
 * @returns {string} the path of its page, from the root of the site
 */
export function pageOf(source) {
  if (source === 'specs/README.md') return 'index.md';
  if (source === 'README.md') return 'readme.md';
  if (source.startsWith('specs/') && (source.endsWith('.md') || isImage(source))) return source.slice('specs/'.length);
  // VitePress finds no pages in hidden folders.
  const path = source.replace(/(^|\/)\./g, '$1');
  return `files/${extname(path) === '.md' ? path : `${path}.md`}`;
}

const LINK = /(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^)\s]+)(\))/g;
const FENCE = /^(```+|~~~+)[^]*?^\1[^\n]*$/gm;

/** @param {string} target */
const isOutside = (target) => /^([a-z]+:|#)/i.test(target);

/**
 * Returns the files and folders that a document links to, as paths in the repository.
 * @param {string} text
 * @param {string} source
 * @returns {string[]}
 */
export function linkedFiles(text, source) {
  /** @type {string[]} */
  const found = [];
  outsideFences(text, (part) => {
    for (const [, , target = ''] of part.matchAll(LINK)) if (!isOutside(target)) found.push(pathOf(target, source));
    return part;
  });
  return found;
}

/**
 * @param {string} target
 * @param {string} source
 */
const pathOf = (target, source) => join(dirname(source), target.replace(/#.*/, '')).replace(/\/$/, '');

/**
 * Makes the links of a document lead to pages of the site.
 * @param {string} text
 * @param {Page} page
 */
export const rewriteLinks = (text, { source, page }) =>
  outsideFences(text, (part) =>
    part.replace(
      LINK,
      (whole, /** @type {string} */ before, /** @type {string} */ target, /** @type {string} */ after) => {
        if (isOutside(target)) return whole;
        const path = pathOf(target, source);
        const way = relative(dirname(page), isImage(path) ? path.replace(/^specs\//, '') : pageOf(path));
        return `${before}${way.startsWith('.') ? way : `./${way}`}${/#.*/.exec(target)?.[0] ?? ''}${after}`;
      },
    ),
  );

/** @param {string} path */
export const isImage = (path) => /\.(png|svg|jpe?g)$/.test(path);

/**
 * @param {string} text
 * @param {(part: string) => string} change
 */
function outsideFences(text, change) {
  let result = '';
  let from = 0;
  for (const { 0: fence, index } of text.matchAll(FENCE)) {
    result += change(text.slice(from, index)) + fence;
    from = index + fence.length;
  }
  return result + change(text.slice(from));
}

/**
 * Shows files that are not Markdown as a page: one file, or those of a folder.
 * @param {string} source
 * @param {readonly { name: string, text: string }[]} files
 */
export const codePage = (source, files) =>
  [
    `# ${source}`,
    ...files.flatMap(({ name, text }) => [...(files.length > 1 ? [`## ${name}`] : []), codeBlock(name, text)]),
  ].join('\n\n') + '\n';

/**
 * @param {string} name
 * @param {string} text
 */
function codeBlock(name, text) {
  const language = name === 'Dockerfile' ? 'dockerfile' : extname(name).slice(1);
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}

/**
 * The anchor of a heading, as GitHub makes it, so that links work in both places.
 * @param {string} heading
 */
export const anchorOf = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .replace(/\s/g, '-');
