/** @typedef {import('./read-index.js').Section} Section */

/**
 * Renders llms.txt (https://llmstxt.org): what the site is, and each page with what it is about.
 * @param {{ name: string, description: string }} about
 * @param {readonly Section[]} sections
 */
export const renderLlms = ({ name, description }, sections) =>
  [
    `# ${name}`,
    `> ${description}`,
    'Each page is also there as Markdown, at the address below. llms-full.txt contains all of them.',
    ...sections.map(({ title, pages }) =>
      [`## ${title}`, '', ...pages.map((page) => `- [${page.title}](${page.path}): ${page.description}`)].join('\n'),
    ),
  ].join('\n\n') + '\n';

/**
 * Renders llms-full.txt: all pages in the order of the index.
 * @param {readonly { path: string, text: string }[]} pages
 */
export const renderLlmsFull = (pages) =>
  pages.map(({ path, text }) => `<!-- page: ${path} -->\n\n${text.trim()}\n`).join('\n');
