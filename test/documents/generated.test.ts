import { describe, expect, test } from 'vitest';
import { blocksIn, withTables } from '../../scripts/tables/blocks.js';
import { tables } from '../../scripts/tables/index.js';
import { documents } from './documents.js';

const pages = documents.filter(({ text }) => blocksIn(text).length > 0);

describe('the tables generated from the schemas', () => {
  test.each(pages.map((page) => [page.path, page] as const))(
    'are up to date in %s; else run: npm run schema',
    async (_, { text }) => {
      expect(await withTables(text, tables)).toBe(text);
    },
  );

  test('are on one page each', () => {
    expect(pages.flatMap(({ text }) => blocksIn(text)).sort()).toEqual(Object.keys(tables).sort());
  });

  test.each(Object.entries(tables))('describe every field of %s', (_, table) => {
    const [, , ...rows] = table.split('\n');
    expect(rows.length).toBeGreaterThan(1);
    expect(rows.filter((row) => /\|\s*\|$/.test(row))).toEqual([]);
  });

  test('are updated when a field changes, and a block of an unknown table is an error', async () => {
    const page = '<!-- generated: a -->\n\n| old |\n\n<!-- end -->\n';
    expect(await withTables(page, { a: '| new |' })).toBe(page.replace('old', 'new'));
    await expect(withTables(page, { b: '' })).rejects.toThrow('no table is named a; there are b');
  });
});
