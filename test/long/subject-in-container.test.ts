import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createProject, EMPTY_FIXTURE, openRun, scenario } from '../commands/project.js';
import { IMAGE, whyNoContainers } from '../environments/containers.js';

const lacking = await whyNoContainers('docker');
if (lacking !== null) console.log(`no test of a subject in a container: ${lacking}`);

test.skipIf(lacking !== null)('a skill arrives in a container with its binary files and programs', async () => {
  const project = await createProject({
    ...EMPTY_FIXTURE,
    'fixtures/skills/stamp/SKILL.md': '---\nname: stamp\ndescription: Stamps documents.\n---\n',
    'fixtures/GUIDE.md': 'Be brief.\n',
  });
  onTestFinished(() => project.remove());
  await project.write('fixtures/skills/stamp/stamp.sh', '#!/bin/sh\necho stamped\n', 0o755);
  const logo = Buffer.from(Array.from({ length: 1024 }, (_, at) => at % 256));
  await writeFile(join(project.folder, 'fixtures/skills/stamp/logo.bin'), logo);
  const list = `'cd "$HOME/.agents/skills/stamp" && ./stamp.sh && wc -c < logo.bin && od -An -tu1 -N300 logo.bin | tr -d "\\n" && cat "$HOME/AGENTS.md" SKILL.md'`;
  const gates = ['{type: skill_used, skill: stamp}'];
  const more = `subject: {skill: skills/stamp, instructions: GUIDE.md}\nbaseline: true\nenvironment: {type: docker, image: "${IMAGE}"}`;
  await project.write(
    'fixtures/inside.yaml',
    scenario('inside', { target: null, gates, steps: [`run: ${list}`], more }),
  );
  const { document } = await project.run(['inside']);
  const at = (variant: string) => document.cells.findIndex((cell) => cell.variant === variant);
  const { run, text } = await openRun(document, at('with'));
  expect(run).toMatchObject({ environment: 'docker', outcome: 'pass' });
  const printed = await text('artifacts/transcript.human.txt');
  expect(printed).toContain('stamped');
  expect(printed).toContain('1024');
  expect(printed.replace(/\s+/g, ' ')).toContain([...logo.subarray(0, 300)].join(' '));
  expect(printed).toContain('Be brief.');
  const bare = await openRun(document, at('without'));
  expect(await bare.text('artifacts/transcript.human.txt')).not.toContain('stamped');
});
