/**
 * A section of specs/README.md: its heading and the pages that it lists.
 * @typedef {{ title: string, pages: { title: string, path: string, description: string }[] }} Section
 */

const ITEM = /^- \[([^\]]+)\]\(([^)]+)\): (.+)$/gm;

/**
 * Reads the order of pages, and what each is about, from the index.
 * @param {string} text specs/README.md
 * @returns {Section[]}
 */
export const readIndex = (text) =>
  text
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.slice(0, section.indexOf('\n')).trim(),
      pages: [...section.matchAll(ITEM)].map(([, title = '', path = '', description = '']) => ({
        title,
        path,
        description,
      })),
    }))
    .filter(({ pages }) => pages.length > 0);
