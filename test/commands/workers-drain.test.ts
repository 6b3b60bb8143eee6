import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFolderStore } from '../../src/store/shared/folder-store.js';
import { hostObject } from '../../src/store/shared/names.js';
import { hostRecord } from '../store/shared/host-record.js';
import { joinAs } from '../store/shared/join-as.js';
import { createProject } from './project.js';

test('`workers drain --wait` gives up on a host that is silent', async () => {
  const project = await createProject({});
  onTestFinished(() => project.remove());
  const location = join(project.state, 'shared');
  await joinAs(project.state, location);
  const runs = [{ workflow_id: 'run/1', since: '2026-01-01T00:00:00Z' }];
  const object = hostObject('build-7');
  await createFolderStore(location).put(object, JSON.stringify(hostRecord('build-7', Date.now(), { runs })));
  const seenAt = Date.now() / 1000 - 61;
  utimesSync(join(location, object), seenAt, seenAt);
  const { exitCode, stderr } = await project.cli(['workers', 'drain', 'build-7', '--wait', '--results', location]);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/build-7 has been silent for 1m.*; other hosts run again what it had/);
});
