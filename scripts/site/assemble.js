// Writes the pages of the site into pages/: the documents with links that work there, llms.txt, and each page as
// Markdown. With --watch, writes them again when specs/ changes.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, watch, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderLlms, renderLlmsFull } from './llms.js';
import { codePage, isImage, linkedFiles, pageOf, rewriteLinks } from './pages.js';
import { readIndex } from './read-index.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = fileURLToPath(new URL('pages', import.meta.url));

/** @param {string} path in the repository */
const read = (path) => readFileSync(join(root, path), 'utf8');

/** Files of pages/ that were written this time. */
const written = new Set();

/**
 * Writes a file, unless it is as it should be: `vitepress dev` reloads pages whose file changes.
 * @param {string} path below pages/
 * @param {string | Buffer} content
 */
function write(path, content) {
  const file = join(folder, path);
  written.add(path);
  if (existsSync(file) && readFileSync(file).equals(Buffer.from(content))) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/**
 * The documents in specs/ and what they link to, directly or not: path in the repository, and Markdown.
 * @returns {Map<string, string>}
 */
function collect() {
  const found = new Map();
  const queue = readdirSync(join(root, 'specs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `specs/${name}`);
  for (const source of queue) {
    if (found.has(source) || isImage(source)) continue;
    const text = source.endsWith('.md') ? read(source) : codePage(source, filesOf(source));
    found.set(source, text);
    if (source.endsWith('.md')) queue.push(...linkedFiles(text, source));
  }
  return found;
}

/**
 * @param {string} source a file, or a folder
 * @returns {{ name: string, text: string }[]}
 */
function filesOf(source) {
  if (!statSync(join(root, source)).isDirectory()) return [{ name: source, text: read(source) }];
  return readdirSync(join(root, source), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => ({ name, text: read(join(source, name)) }));
}

function assemble() {
  const documents = collect();
  written.clear();
  for (const [source, text] of documents) {
    const page = pageOf(source);
    const markdown = rewriteLinks(text, { source, page });
    write(page, markdown);
    // For programs that read llms.txt.
    write(join('public', page), markdown);
  }
  for (const name of readdirSync(join(root, 'specs/images')))
    for (const images of ['images', 'public/images'])
      write(join(images, name), readFileSync(join(root, 'specs/images', name)));
  const index = readIndex(read('specs/README.md'));
  write('public/llms.txt', renderLlms(JSON.parse(read('package.json')), index));
  const inOrder = [
    { path: 'readme.md', text: documents.get('README.md') ?? '' },
    ...index.flatMap(({ pages }) => pages.map(({ path }) => ({ path, text: documents.get(`specs/${path}`) ?? '' }))),
  ];
  write('public/llms-full.txt', renderLlmsFull(inOrder));
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = relative(folder, join(entry.parentPath, entry.name));
    if (entry.isFile() && !written.has(path)) rmSync(join(folder, path));
  }
  console.log(`${documents.size} pages`);
}

assemble();
if (process.argv.includes('--watch'))
  watch(join(root, 'specs'), { recursive: true }, () => {
    // An editor may be in the middle of replacing the file, and reports that it is done once more.
    try {
      assemble();
    } catch (error) {
      console.error(error);
    }
  });
