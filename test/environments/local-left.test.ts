import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { local } from '../../src/environments/local.js';
import { collect } from '../../src/environments/workspace-changes.js';
import { inEachMode } from '../host/supervised.js';
import { processesWith, running } from '../host/processes.js';
import { PATH, prepared, type Place } from './places.js';

/** An agent that no step follows: its worker died when its run was cancelled. */
async function unfollowed(start = 1): Promise<Place> {
  const place = await prepared();
  await local.start(place.handle, {
    start,
    argv: ['sleep', place.seconds],
    env: { PATH },
    stdin: '',
    files: [],
    deadlineSecs: 600,
    idleSecs: null,
  });
  await running(place.seconds);
  return place;
}

inEachMode((test) => {
  test('is ended before the workspace is collected, even if no step follows it', async () => {
    const { handle, seconds } = await unfollowed();
    await collect(local, handle, join(handle.root, 'collected'), null);
    expect(processesWith(seconds)).toEqual([]);
    expect(await local.inspect(handle, 1)).toMatchObject({
      state: 'ended',
      stopped: 'cancel',
    });
  });

  test('is ended before the workspace is removed, even if no step follows it, at any start', async () => {
    const { handle, seconds } = await unfollowed(3);
    await local.dispose(handle);
    expect(processesWith(seconds)).toEqual([]);
    expect(existsSync(handle.workspace)).toBe(false);
  });
});
