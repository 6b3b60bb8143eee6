import { expect, it } from 'vitest';
import { bubblewrapArgs, type Rule } from '../../src/environments/bubblewrap-rules.js';

/** The mounts for these rules, without those that are always there. */
function mounts(...rules: Rule[]): string[] {
  const always = bubblewrapArgs([], '/w').length - 2;
  return bubblewrapArgs(rules, '/w').slice(always, -2);
}

it('makes everything readable, in a PID namespace, without capabilities', () => {
  expect(bubblewrapArgs([], '/w').join(' ')).toBe(
    '--unshare-pid --unshare-ipc --die-with-parent --cap-drop ALL --ro-bind / / --dev /dev --proc /proc ' +
      '--ro-bind-try /proc/sys /proc/sys --ro-bind-try /proc/sysrq-trigger /proc/sysrq-trigger --chdir /w',
  );
});

it('mounts each kind of look, with folders before their contents', () => {
  expect(
    mounts(
      { path: '/home/me/run', look: 'writable' },
      { path: '/etc/key', look: 'masked' },
      { path: '/home/me/tool', look: 'readable' },
      { path: '/home', look: 'empty' },
      { path: '/tmp', look: 'scratch' },
    ),
  ).toEqual([
    ...['--ro-bind', '/dev/null', '/etc/key'],
    ...['--tmpfs', '/home'],
    ...['--bind', '/home/me/run', '/home/me/run'],
    ...['--ro-bind', '/home/me/tool', '/home/me/tool'],
    ...['--tmpfs', '/tmp'],
    ...['--remount-ro', '/home'],
  ]);
});

it('hides again what is inside a visible folder', () => {
  expect(
    mounts(
      { path: '/home', look: 'empty' },
      { path: '/home/me/project', look: 'readable' },
      { path: '/home/me/project/results', look: 'empty' },
      { path: '/home/me/project/gates.yaml', look: 'masked' },
    ).join(' '),
  ).toBe(
    '--tmpfs /home --ro-bind /home/me/project /home/me/project --ro-bind /dev/null /home/me/project/gates.yaml ' +
      '--tmpfs /home/me/project/results --remount-ro /home --remount-ro /home/me/project/results',
  );
});

it('leaves out rules that change nothing', () => {
  expect(mounts({ path: '/usr/bin', look: 'readable' })).toEqual([]);
  expect(
    mounts({ path: '/tmp', look: 'scratch' }, { path: '/tmp/a', look: 'empty' }, { path: '/tmp/b', look: 'masked' }),
  ).toEqual(['--tmpfs', '/tmp']);
  expect(
    mounts(
      { path: '/tmp', look: 'scratch' },
      { path: '/tmp/run', look: 'writable' },
      { path: '/tmp/run/file', look: 'readable' },
    ),
  ).toEqual(['--tmpfs', '/tmp', '--bind', '/tmp/run', '/tmp/run']);
});

it('takes the later of two rules for the same place, and ignores a rule for the root folder', () => {
  const empty: Rule = { path: '/p', look: 'empty' };
  const readable: Rule = { path: '/p', look: 'readable' };
  expect(mounts(empty, readable)).toEqual([]);
  expect(mounts(readable, empty)).toEqual(['--tmpfs', '/p', '--remount-ro', '/p']);
  expect(mounts({ path: '/', look: 'empty' })).toEqual([]);
});

it('does not hide a folder with a name that only begins like a hidden one', () => {
  expect(mounts({ path: '/home', look: 'empty' }, { path: '/homework/x', look: 'readable' })).toEqual([
    '--tmpfs',
    '/home',
    '--remount-ro',
    '/home',
  ]);
});
