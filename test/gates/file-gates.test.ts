import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkGate } from '../../src/gates/all-gates.js';
import type { FileStat, GateContext } from '../../src/gates/gate.js';
import { describeDifference } from '../../src/gates/types/files.js';
import { check, newWorkspace, realContext } from './real-context.js';

async function workspaceWith(
  files: Record<string, string | Buffer>,
): Promise<{ folder: string; context: GateContext }> {
  const folder = await newWorkspace();
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return { folder, context: realContext(folder) };
}

const textGates = (path: string) => [
  { type: 'file_contains', path, substring: 'x' },
  { type: 'file_matches', path, pattern: 'x' },
];
const fileGates = (path: string) => [{ type: 'file_exists', path }, ...textGates(path)];

it('file_exists passes for files and directories', async () => {
  const { folder, context } = await workspaceWith({ 'notes.md': '' });
  await mkdir(join(folder, 'sub'));
  expect(await check({ type: 'file_exists', path: 'notes.md' }, context)).toEqual({
    status: 'pass',
    message: 'notes.md exists',
  });
  expect((await check({ type: 'file_exists', path: 'sub' }, context)).status).toBe('pass');
});

it('every file gate fails for a missing file', async () => {
  for (const gate of fileGates('sub/none.md')) {
    expect(await check(gate)).toEqual({ status: 'fail', message: 'sub/none.md does not exist' });
  }
});

it('every file gate fails for a symlink that leaves the workspace', async () => {
  const { folder, context } = await workspaceWith({});
  const elsewhere = await newWorkspace();
  await writeFile(join(elsewhere, 'secret'), 'x');
  await symlink(join(elsewhere, 'secret'), join(folder, 'link'));
  for (const gate of fileGates('link')) {
    expect(await check(gate, context)).toEqual({
      status: 'fail',
      message: 'link leaves the workspace through a symlink',
    });
  }
});

it('symlinks inside the workspace are followed', async () => {
  const { folder, context } = await workspaceWith({ real: 'x' });
  await symlink('real', join(folder, 'link'));
  for (const gate of fileGates('link')) expect((await check(gate, context)).status).toBe('pass');
});

it('every file gate fails for what cannot be read, with the reason', async () => {
  const unreadable: FileStat = { kind: 'unreadable', reason: 'permission denied' };
  const context = { ...realContext('/nowhere'), look: () => Promise.resolve(unreadable) };
  for (const gate of fileGates('locked')) {
    expect(await check(gate, context)).toEqual({
      status: 'fail',
      message: 'locked cannot be read: permission denied',
    });
  }
});

it('the text gates fail for a directory and for what is not UTF-8', async () => {
  const { folder, context } = await workspaceWith({ binary: Buffer.from([0x78, 0xff, 0xfe]) });
  await mkdir(join(folder, 'sub'));
  for (const gate of textGates('sub')) {
    expect((await check(gate, context)).message).toBe('sub is a directory, not a file');
  }
  for (const gate of textGates('binary')) {
    expect(await check(gate, context)).toEqual({ status: 'fail', message: 'binary is not UTF-8 text' });
  }
});

it('file_contains looks for the exact text', async () => {
  const { context } = await workspaceWith({ 'notes.md': 'Hello wörld\n' });
  const contains = (substring: string) => check({ type: 'file_contains', path: 'notes.md', substring }, context);
  expect(await contains('wörld\n')).toMatchObject({ status: 'pass' });
  expect(await contains('hello')).toEqual({ status: 'fail', message: 'notes.md does not contain "hello"' });
});

it('file_matches looks for the pattern anywhere', async () => {
  const { context } = await workspaceWith({ 'notes.md': 'a: 1\nb: 22\n' });
  const matches = (pattern: string) => check({ type: 'file_matches', path: 'notes.md', pattern }, context);
  expect(await matches('(?m)^b: \\d+$')).toMatchObject({ status: 'pass' });
  expect(await matches('^b: \\d+$')).toEqual({
    status: 'fail',
    message: 'notes.md does not match "^b: \\\\d+$"',
  });
});

it('a pattern that validation would have refused is an error, not a failure', async () => {
  const spec = { type: 'file_matches', timeout_secs: 30, path: 'notes.md', pattern: '(' } as const;
  expect((await checkGate(spec, realContext(await newWorkspace()))).status).toBe('error');
});

it('file_equals passes if the file has the content of the expected one, and names the first line that differs', async () => {
  const { folder } = await workspaceWith({ 'out.csv': 'item,count\nlamps,8\nplugs,12\n' });
  const checks = await newWorkspace();
  const context = realContext(folder, { checks });
  const verdict = async (expected: string): Promise<unknown> => {
    await writeFile(join(checks, 'want.csv'), expected);
    return check({ type: 'file_equals', path: 'out.csv', expected: 'want.csv' }, context);
  };
  expect(await verdict('item,count\nlamps,8\nplugs,12\n')).toEqual({
    status: 'pass',
    message: 'out.csv equals want.csv',
  });
  const differs = (where: string) => ({
    status: 'fail',
    message: `out.csv differs from want.csv: ${where}`,
  });
  expect(await verdict('item,count\nlamps,9\nplugs,12\n')).toEqual(
    differs('line 2: expected "lamps,9", got "lamps,8"'),
  );
  expect(await verdict('item,count\nlamps,8\n')).toEqual(
    differs('line 3: expected the end of the file, got "plugs,12"'),
  );
  expect(await verdict('item,count\nlamps,8\nplugs,12')).toEqual(differs('line 3 differs in length or at its end'));
  expect(await verdict('')).toEqual(differs('line 1: expected the end of the file, got "item,count"'));
});

it('file_equals is an error if the expected file is missing or not text, whatever the agent did', async () => {
  const { folder } = await workspaceWith({ 'out.csv': 'x', 'want.csv': 'x' });
  const checks = await newWorkspace();
  const context = realContext(folder, { checks });
  const gate = { type: 'file_equals', path: 'out.csv', expected: 'want.csv' };
  expect(await check(gate, context)).toEqual({
    status: 'error',
    message: 'checks folder: want.csv does not exist',
  });
  await writeFile(join(checks, 'want.csv'), Buffer.from([0xff]));
  expect(await check(gate, context)).toEqual({
    status: 'error',
    message: 'checks folder: want.csv is not a UTF-8 text file',
  });
});

it('file_equals fails for a missing file, and for one that is not text', async () => {
  const { folder } = await workspaceWith({ 'out.bin': Buffer.from([0xff]) });
  const checks = await newWorkspace();
  await writeFile(join(checks, 'want'), 'x');
  const of = (path: string) => check({ type: 'file_equals', path, expected: 'want' }, realContext(folder, { checks }));
  expect(await of('none')).toEqual({ status: 'fail', message: 'none does not exist' });
  expect(await of('out.bin')).toEqual({ status: 'fail', message: 'out.bin is not UTF-8 text' });
});

it('file_equals quotes the first line if it is the one that differs', () => {
  expect(describeDifference('\nx', 'y')).toBe('line 1: expected "y", got ""');
});

it('file_equals finds the first difference in large texts, wherever it is', () => {
  fc.assert(
    fc.property(fc.nat(300_000), fc.nat(5), (length, lines) => {
      const text = `${'l\n'.repeat(lines)}${'x'.repeat(length)}`;
      expect(describeDifference(`${text}a`, `${text}b`)).toMatch(new RegExp(`^line ${lines + 1}\\b`));
    }),
    { numRuns: 30 },
  );
});
