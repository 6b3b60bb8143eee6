import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { trajectoryOf } from '../../../src/reports/formats/atif.js';
import { newFolder } from '../../host/temporary.js';
import { capturedRuns } from '../../reports/formats/captured-runs.js';
import { provideHarbor } from '../clis.js';

/** Prints the problems of each trajectory of a file, as Harbor's own validator finds them. */
const CHECK = `
import json, sys
from harbor.utils.trajectory_validator import TrajectoryValidator
found = {}
for name, trajectory in json.load(open(sys.argv[1])).items():
    validator = TrajectoryValidator()
    if not validator.validate(trajectory):
        found[name] = validator.get_errors()
print(json.dumps(found))
`;

test("Harbor's own models accept the trajectories of what every agent prints", async () => {
  const [command = '', ...args] = await provideHarbor();
  const runs = capturedRuns();
  const agents = new Set(runs.map(({ record }) => record.agent_name));
  expect([...agents].sort()).toEqual(
    expect.arrayContaining(['claude', 'claude-code', 'codex', 'copilot', 'gemini', 'hermes', 'kimi', 'opencode', 'pi']),
  );
  const file = join(await newFolder(), 'trajectories.json');
  const trajectories = runs.map(({ name, record, events }) => [name, trajectoryOf(record, events)] as const);
  const broken = { ...trajectories[0]?.[1], steps: [] };
  const all = { ...Object.fromEntries(trajectories), broken };
  await writeFile(file, JSON.stringify(all));
  const { stdout } = await execa(command, [...args, '-c', CHECK, file]);
  const problems = JSON.parse(stdout) as Record<string, string[]>;
  expect(Object.keys(problems)).toEqual(['broken']);
}, 300_000);
