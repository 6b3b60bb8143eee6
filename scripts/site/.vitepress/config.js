import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import { anchorOf } from '../pages.js';
import { readIndex } from '../read-index.js';
import { renderDiagrams } from '../diagrams.js';

/** @param {string} path in the repository */
const read = (path) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const { name, description } = JSON.parse(read('package.json'));
const sections = readIndex(read('specs/README.md'));

/** @param {{ path: string }} page */
const item = ({ path }) => ({
  text: /^# (.+)$/m.exec(read(`specs/${path}`))?.[1],
  link: `/${path.replace(/\.md$/, '')}`,
});

export default defineConfig({
  title: name,
  description,
  lang: 'en',
  srcDir: 'pages',
  srcExclude: ['public/**'],
  outDir: 'dist',
  // The path of the site on its server, with slashes around it.
  base: process.env['DOCS_BASE'] ?? '/',
  markdown: {
    anchor: { slugify: anchorOf },
    // Braces in headings and texts are text.
    attrs: { disable: true },
    config: renderDiagrams,
  },
  themeConfig: {
    // Pages that are not in the index, such as fixtures, have no place in it either.
    sidebar: [
      {
        text: name,
        items: [
          { text: 'Where to start', link: '/' },
          { text: 'README', link: '/readme' },
        ],
      },
      ...sections.map(({ title, pages }) => ({ text: title, items: pages.map(item) })),
    ],
    nav: sections.map(({ title, pages: [first] }) => ({ ...item(first), text: title })),
    outline: [2, 3],
    search: { provider: 'local' },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
});
