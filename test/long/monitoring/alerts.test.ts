import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../../commands/project.js';
import { ALERTS, alerts } from './dashboard.js';

const has = (await execa('promtool', ['--version'], { reject: false })).exitCode === 0;

test.skipIf(!has)('promtool accepts the alerts, and each fires when it should (Debian: prometheus)', async () => {
  await execa('promtool', ['check', 'rules', ALERTS]);
  await execa('promtool', ['test', 'rules', join(import.meta.dirname, 'alerts.yml')]);
  const tested = readFileSync(join(import.meta.dirname, 'alerts.yml'), 'utf8');
  for (const { alert } of alerts()) expect(tested, alert).toContain(`alertname: ${alert}`);
});

test('each alert has a runbook', () => {
  const page = readFileSync(join(REPOSITORY, 'specs/how-to/monitoring.md'), 'utf8');
  for (const { alert, annotations } of alerts()) {
    expect(annotations.runbook).toBe(`monitoring.md#${alert.toLowerCase()}`);
    expect(page).toContain(`\n### ${alert}\n`);
  }
});
