import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { absolutePaths } from '../../../src/lib/commands/absolute-paths.js';
import { shellWord } from '../../../src/lib/commands/command.js';

describe('absolutePaths', () => {
  test.each([
    ['sh /a/check.sh && /b/c', ['/a/check.sh', '/b/c']],
    ['sh "/a b/check.sh"', ['/a b/check.sh']],
    ["sh '/a b/check.sh'", ['/a b/check.sh']],
    ['sh /a\\ b/check.sh', ['/a b/check.sh']],
    ['sh "/a \\"b\\"/c"', ['/a "b"/c']],
    ['sh /a/"b c"/d', ['/a/b c/d']],
    ['mytool --config="/a b/c" --in=/d/e', ['/a b/c', '/d/e']],
    ['cat < "/a b/c" > /d/e', ['/a b/c', '/d/e']],
    ['grep -rq x /a/folder/', ['/a/folder']],
    ['/opt/a:/opt/b c', ['/opt/a', '/opt/b']],
    ['/opt/with space/data', ['/opt/with space/data']],
    [`python3 -c "open('/a b/c').read()"`, ['/a b/c']],
  ])('finds the paths in %s', (command, paths) => {
    expect(absolutePaths(command)).toEqual(expect.arrayContaining(paths));
  });

  test.each(['echo done', 'cd /tmp && tr / _', 'ls a/b ./c'])('finds none in %s', (command) => {
    expect(absolutePaths(command)).toEqual([]);
  });

  test('finds a quoted path of any characters that a shell accepts', () => {
    const part = fc.string({ minLength: 1, maxLength: 8 }).map((text) => text.replaceAll(/[/\0\n]/g, '_'));
    fc.assert(
      fc.property(fc.array(part, { minLength: 2, maxLength: 4 }), (parts) => {
        const path = `/r/${parts.map((one) => (/^\.+$/.test(one) ? 'dots' : one)).join('/')}`;
        expect(absolutePaths(`run ${shellWord(path)} now`)).toContain(path);
      }),
    );
  });
});
