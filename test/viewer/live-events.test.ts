import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { runFiles } from '../../src/store/results-folder.js';
import { eventsOf } from '../../src/viewer/server/events.js';
import type { Place, RunSource } from '../../src/viewer/server/runs.js';

test('sends the events of a run that goes on with all of their text', async () => {
  const resultsPath = await mkdtemp(join(tmpdir(), 'live-events-'));
  try {
    const said = ['I begin.', 'I look around.', 'I am done.'].map((text, at) => ({
      ...{ type: 'message', role: 'assistant', text },
      ...{ ts: '2026-01-01T00:00:00.000Z', seq: at + 1, attempt: 1 },
    }));
    const { liveEvents } = runFiles(join(resultsPath, 'run'));
    await mkdir(dirname(liveEvents), { recursive: true });
    await writeFile(liveEvents, said.map((event) => `${JSON.stringify(event)}\n`).join(''));
    const gone = new AbortController();
    const place = { open: { isOpen: () => true } } as unknown as Place;
    const first = await eventsOf({ resultsPath } as RunSource, { id: 'run', place }, gone.signal).next();
    gone.abort();
    expect(first.value).toEqual({ events: said });
  } finally {
    await rm(resultsPath, { recursive: true });
  }
});
