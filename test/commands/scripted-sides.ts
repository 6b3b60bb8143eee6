import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EMPTY_FIXTURE, scenario, type TestProject } from './project.js';

/** Outcomes of the runs of a side, which repeat: 1 passes, 0 fails, and e ends with an error. */
export type Sides = Record<string, string>;

/**
 * Adds a scenario with a variant for each side, whose nth run ends as its outcomes say. Only the number of calls
 * decides, so sweeps that run the same rounds have the same counts, in whatever order runs end.
 */
export async function addScripted(
  project: TestProject,
  name: string,
  sides: Sides,
  moreSteps: string[] = [],
): Promise<void> {
  const calls = join(project.folder, 'calls');
  await mkdir(calls, { recursive: true });
  for (const [path, text] of Object.entries(EMPTY_FIXTURE)) await project.write(path, text);
  await project.write('bin/tool', TOOL.replaceAll('CALLS', calls), 0o755);
  const variants = Object.entries(sides).map(
    ([side, outcomes]) => `    - {name: ${side}, env: {SIDE: ${name}-${side}, OUTCOMES: "${outcomes}"}}`,
  );
  await project.write(
    `fixtures/${name}.yaml`,
    scenario(name, {
      target: "{binary: ../bin/tool, health_check: 'tool check', files: []}",
      gates: ['{type: file_exists, path: done.txt}'],
      steps: ['run: tool use', ...moreSteps],
      more: ['matrix:', '  variants:', ...variants].join('\n'),
    }),
  );
}

/** Its health check decides how the run will end, and fails if that is an error. */
const TOOL = `#!/bin/sh
if [ "$1" = check ]; then
  nth=0
  until mkdir "CALLS/$SIDE.$nth" 2>/dev/null; do nth=$((nth + 1)); done
  printf %s "$OUTCOMES" | cut -c$((nth % \${#OUTCOMES} + 1)) >outcome
fi
# What is broken may be mended later.
test "$(cat outcome)" != e || test -e CALLS/mended || exit 3
test "$(cat outcome)" = 0 || echo done >done.txt
`;
