import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { findPlan } from '../../src/sweeps/find-sweep.js';
import { sweepDocument } from '../../src/sweeps/sweep-document.js';
import { writeEngineState } from '../../src/engine/engine-state.js';
import { projectState } from '../../src/host/folders.js';
import { ownIdentity } from '../../src/host/process/process-identity.js';
import { summaryFile } from '../../src/store/results-folder.js';
import { storedStatus } from '../../src/store/stored-decision.js';
import { notePaused } from '../../src/store/sweep-round.js';
import { writePastSweep } from '../commands/past-sweep.js';
import { newFolder } from '../host/temporary.js';

/** A results folder with an open sweep. */
async function openSweep() {
  const home = await newFolder();
  const results = join(home, 'results');
  vi.stubEnv('LLM_TOOL_TEST_HOME', join(home, 'state'));
  writePastSweep(results, null, { id: 's', daysAgo: 0, open: true });
  const document = () => sweepDocument(results, findPlan(results, 's'), () => undefined);
  return { results, document };
}

test('a sweep is shown as paused from its files alone, until it is resumed', async () => {
  const { results, document } = await openSweep();
  expect((await document()).status).toBe('running');
  await notePaused(results, 's', true);
  expect((await document()).status).toBe('paused');
  await notePaused(results, 's', false);
  expect((await document()).status).toBe('running');
});

test('the address of the Web UI is shown only while the server runs', async () => {
  const { results, document } = await openSweep();
  const gone = { pid: 0, start: '', boot: '' };
  const engine = (server: typeof gone): Promise<void> =>
    writeEngineState(projectState(results).folder, {
      phase: 'ready',
      message: '',
      since: 0,
      build: '',
      protocol: 1,
      external: false,
      address: '',
      namespace: 'n',
      taskQueue: '',
      uiUrl: 'http://x',
      resultsPath: results,
      keeper: gone,
      server,
      worker: null,
      versions: { temporal: null, llm_tool_test: '' },
    });
  await engine(gone);
  expect((await document()).ui_url).toBeNull();
  await engine(ownIdentity());
  expect((await document()).ui_url).toBe('http://x/namespaces/n/workflows/sweep%2Fs');
});

test('the status of a sweep is read from the beginning of its summary, whatever its cells say', async () => {
  const { results } = await openSweep();
  const write = (text: string): void => writeFileSync(summaryFile(results, 's'), text);
  const cells = Array.from({ length: 1000 }, (_, id) => ({ id: String(id), status: 'running' }));
  for (const status of ['completed', 'cancelled'] as const)
    for (const before of [{ schema_version: 1, sweep: 's', workflow_id: 'sweep/s', ui_url: null }, { cells }, {}]) {
      write(JSON.stringify({ ...before, status, cells }, null, 2));
      expect(storedStatus(results, 's')).toBe(status);
    }
  for (const broken of ['', '{"status": "completed", "cells": [', '{"status": "over"}', '{"cells": []}', '[]']) {
    write(broken);
    expect(() => storedStatus(results, 's'), broken).toThrow(/summary\.json cannot be read/);
  }
});
