import { expect, test } from 'vitest';
import { loadSkill } from '../../../src/scenario/yaml/load-skill.js';

const HEAD = 'name: pdf-forms\ndescription: Fills in forms.\n';

test.each([
  ['as usual', `---\n${HEAD}---\nbody\n`],
  ['blanks after the lines', `--- \n${HEAD}---\t \nbody\n`],
  ['CRLF and a BOM', `\uFEFF---\r\n${HEAD.replaceAll('\n', '\r\n')}---\r\nbody`],
  ['--- in the body', `---\n${HEAD}---\nbody\n\n---\nmore`],
])('front matter is read: %s', (_, text) => {
  expect(loadSkill('SKILL.md', text)).toMatchObject({ ok: true, value: { name: 'pdf-forms' } });
});

test('front matter with merge keys is refused by their name, at their place', () => {
  const loaded = loadSkill('SKILL.md', '---\nbase: &b {description: d}\n<<: *b\nname: x\n---\n');
  expect(loaded.ok ? [] : loaded.problems).toMatchObject([
    { line: 3, column: 1, message: 'merge keys (<<) are not supported; write the keys out' },
  ]);
});
