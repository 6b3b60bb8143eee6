import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { local } from '../../src/environments/local.js';
import { processesWith, running } from '../host/processes.js';
import { confirmed, filesOf, newPlace, PATH, prepared, write } from './places.js';

describe('preparing', () => {
  it('creates the workspace from the fixture, its initial-state at the root, and the setup files', async () => {
    const { handle, fixture } = await newPlace();
    write(fixture, {
      'a.txt': 'fixture',
      'sub/b.txt': 'fixture',
      'initial-state/a.txt': 'initial',
      'initial-state/sub/c.txt': 'initial',
    });
    await local.prepare(
      handle,
      { fixture, files: { 'sub/b.txt': 'setup', 'new/deep/d.txt': 'setup é' }, programs: {} },
      confirmed,
    );
    expect(filesOf(handle.workspace)).toEqual({
      'a.txt': 'initial',
      'sub/b.txt': 'setup',
      'sub/c.txt': 'initial',
      'new/deep/d.txt': 'setup é',
    });
    expect(readdirSync(handle.root)).toEqual(['bin', 'config', 'confined', 'fixture', 'home', 'tmp']);
  });

  it('leaves files and folders in place that are only named like initial-state', async () => {
    const { handle, fixture } = await newPlace();
    write(fixture, { 'initial-state.txt': 'x', 'sub/initial-state/y': 'y' });
    await local.prepare(handle, { fixture, files: {}, programs: {} }, confirmed);
    expect(filesOf(handle.workspace)).toEqual({ 'initial-state.txt': 'x', 'sub/initial-state/y': 'y' });
  });

  it('replaces entries of another kind by those of initial-state, and writes through no symlink', async () => {
    const { handle, fixture } = await newPlace();
    write(fixture, { 'real.txt': 'kept', 'folder/x': 'x', plain: 'p' });
    symlinkSync('real.txt', join(fixture, 'link'));
    write(fixture, {
      'initial-state/link': 'own',
      'initial-state/folder': 'file now',
      'initial-state/plain/y': 'y',
    });
    await local.prepare(handle, { fixture, files: {}, programs: {} }, confirmed);
    expect(filesOf(handle.workspace)).toEqual({
      'real.txt': 'kept',
      link: 'own',
      folder: 'file now',
      'plain/y': 'y',
    });
  });

  it('replaces an old workspace completely, even if a killed attempt has left a half-filled one', async () => {
    const { handle, fixture } = await prepared({ 'old.txt': 'old' });
    mkdirSync(`${handle.workspace}.filling`);
    writeFileSync(join(`${handle.workspace}.filling`, 'half'), '');
    write(fixture, { 'new.txt': 'new' });
    await local.prepare(handle, { fixture, files: {}, programs: {} }, confirmed);
    expect(filesOf(handle.workspace)).toEqual({ 'new.txt': 'new' });
    // Another attempt may still be filling it; it is removed with the run.
    expect(readdirSync(handle.root)).toEqual([
      ...['bin', 'config', 'confined', 'fixture', 'fixture.filling', 'home', 'tmp'],
    ]);
    await local.dispose(handle);
    expect(readdirSync(handle.root)).toEqual([]);
  });

  it('ends processes that an earlier attempt has left running', async () => {
    const { handle, fixture, seconds } = await prepared();
    await local.exec(handle, {
      command: `sleep ${seconds} >/dev/null 2>&1 &`,
      env: { PATH },
      timeoutSecs: 10,
      keepBackground: true,
    });
    await running(seconds);
    await local.prepare(handle, { fixture, files: {}, programs: {} }, confirmed);
    expect(processesWith(seconds)).toEqual([]);
  });
});
