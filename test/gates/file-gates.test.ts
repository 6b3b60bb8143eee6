import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkGate } from '../../src/gates/index.js';
import type { FileStat, GateContext } from '../../src/gates/gate.js';
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
  const contains = (substring: string) =>
    check({ type: 'file_contains', path: 'notes.md', substring }, context);
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
