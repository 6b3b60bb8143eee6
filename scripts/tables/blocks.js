import { format, resolveConfig } from 'prettier';

const BLOCK = /(<!-- generated: ([\w-]+) -->\n)[^]*?(<!-- end -->)/g;

/** The names of the blocks in a page. @param {string} page */
export const blocksIn = (page) => [...page.matchAll(BLOCK)].map(([, , name = '']) => name);

/**
 * A page with every block as its table is now, in the form that the formatter gives it.
 * @param {string} page
 * @param {Readonly<Record<string, string>>} tables
 */
export async function withTables(page, tables) {
  const filled = page.replace(BLOCK, (_, begin, /** @type {string} */ name, end) => {
    const table = tables[name];
    if (table === undefined)
      throw new Error(`no table is named ${name}; there are ${Object.keys(tables).join(', ')}`);
    return `${begin}\n${table}\n\n${end}`;
  });
  return filled === page
    ? page
    : format(filled, { ...(await resolveConfig(import.meta.filename)), parser: 'markdown' });
}
