import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderLlms, renderLlmsFull } from '../../scripts/site/llms.js';
import { anchorOf, codePage, isImage, linkedFiles, pageOf, rewriteLinks } from '../../scripts/site/pages.js';
import { readIndex } from '../../scripts/site/read-index.js';
import { REPOSITORY } from '../commands/project.js';
import { documents } from './documents.js';

const sections = readIndex(documents.find(({ path }) => path === 'specs/README.md')?.text ?? '');

describe('the documentation site', () => {
  test('lists every page of specs/ once, in the order of the index', () => {
    const listed = sections.flatMap(({ pages }) => pages.map(({ path }) => `specs/${path}`));
    const pages = documents.map(({ path }) => path).filter((path) => /^specs\/(?!README)/.test(path));
    expect([...listed].sort()).toEqual([...pages].sort());
    expect(listed[0]).toBe('specs/tutorial.md');
    expect(sections.map(({ title }) => title)).toEqual([
      'Tutorial',
      'How-to guides',
      'Reference',
      'Explanation',
      'Contributing',
    ]);
  });

  test('has a page of its own for everything that the documents link to', () => {
    const linked = new Set(documents.flatMap(({ path, text }) => linkedFiles(text, path)));
    expect(linked.size).toBeGreaterThan(30);
    expect([...linked].filter((path) => !existsSync(join(REPOSITORY, path)))).toEqual([]);
    const pages = [...linked].filter((path) => !isImage(path)).map(pageOf);
    expect(new Set(pages).size).toBe(pages.length);
    expect(pages.filter((page) => /(^|\/)\.|\.\./.test(page) || !page.endsWith('.md'))).toEqual([]);
  });
});

describe('rewriteLinks', () => {
  const rewritten = (source: string, text: string): string => rewriteLinks(text, { source, page: pageOf(source) });

  test('leads to the pages that files outside specs/ have on the site', () => {
    expect(rewritten('specs/README.md', '[a](../README.md#install), [b](tutorial.md)')).toBe(
      '[a](./readme.md#install), [b](./tutorial.md)',
    );
    expect(rewritten('specs/how-to/production.md', '[a](../../Dockerfile) [b](../README.md)')).toBe(
      '[a](../files/Dockerfile.md) [b](../index.md)',
    );
    expect(rewritten('README.md', '![a](specs/images/a.png), [b](specs/reference/x.md#y), [c](fixtures/)')).toBe(
      '![a](./images/a.png), [b](./reference/x.md#y), [c](./files/fixtures.md)',
    );
    expect(rewritten('specs/how-to/tasks.md', '[a](../../.agents/scripts/x/README.md)')).toBe(
      '[a](../files/agents/scripts/x/README.md)',
    );
  });

  test('leaves addresses, anchors and code as they are', () => {
    const text = '[a](https://x.y/z.md) [b](#here) `x`\n\n```md\n[c](../README.md)\n```\n';
    expect(rewritten('specs/tutorial.md', text)).toBe(text);
  });
});

test('shows files as code, whatever they contain', () => {
  expect(codePage('a.yaml', [{ name: 'a.yaml', text: 'x: "```"\n' }])).toBe('# a.yaml\n\n````yaml\nx: "```"\n````\n');
  const folder = codePage('f', [
    { name: 'a.sh', text: 'ls' },
    { name: 'b.sh', text: 'pwd' },
  ]);
  expect(folder).toBe('# f\n\n## a.sh\n\n```sh\nls\n```\n\n## b.sh\n\n```sh\npwd\n```\n');
});

test('headings have the anchors that they have on GitHub', () => {
  expect(['results.jsonl', 'show, resume, retry', "What's `--json`?", 'a_b - c'].map(anchorOf)).toEqual([
    'resultsjsonl',
    'show-resume-retry',
    'whats---json',
    'a_b---c',
  ]);
});

test('llms.txt lists the pages with what they are about, and llms-full.txt contains them', () => {
  const text = renderLlms({ name: 'x', description: 'does y' }, sections);
  expect(text).toMatch(/^# x\n\n> does y\n/);
  expect(text).toMatch(/\n## Reference\n\n- \[commands\]\(reference\/commands\.md\): which verbs/);
  expect(renderLlmsFull([{ path: 'a.md', text: '# A\n' }])).toBe('<!-- page: a.md -->\n\n# A\n');
});
