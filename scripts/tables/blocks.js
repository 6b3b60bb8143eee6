import { format, resolveConfig } from 'prettier';

const BLOCK = /(<!-- generated: ([\w-]+) -->\n)[^]*?(<!-- end -->)/g;

/** Returns the names of the generated blocks in a page. @param {string} page */
export const blocksIn = (page) => [...page.matchAll(BLOCK)].map(([, , name = '']) => name);

/**
 * Returns a page with the current table in every generated block, formatted by Prettier.
 * @param {string} page
 * @param {Readonly<Record<string, string>>} tables
 */
export async function withTables(page, tables) {
  const filled = page.replace(BLOCK, (_, begin, /** @type {string} */ name, end) => {
    const table = tables[name];
    if (table === undefined) throw new Error(`no table is named ${name}; there are ${Object.keys(tables).join(', ')}`);
    return `${begin}\n${table}\n\n${end}`;
  });
  return filled === page
    ? page
    : format(filled, { ...(await resolveConfig(import.meta.filename)), parser: 'markdown' });
}
