import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bubblewrapProblem } from '../../src/environments/bubblewrap.js';
import { createProject, openRun, REPOSITORY, type TestProject } from '../commands/project.js';
import { IMAGE, USER_IMAGE, whyNoContainers } from '../environments/containers.js';

/** An environment, and why it cannot be tested here; null if it can. */
interface Place {
  environment: string;
  lacking: string | null;
}

const placeOf = async (image: string): Promise<[string, Place]> => [
  image,
  {
    environment: `{type: docker, image: "${image}"}`,
    lacking: await whyNoContainers('docker', image),
  },
];

/** Where the agent searches. */
const PLACES: Record<string, Place> = {
  bubblewrap: { environment: '{type: bubblewrap}', lacking: await bubblewrapProblem() },
  ...Object.fromEntries(await Promise.all([IMAGE, USER_IMAGE].map(placeOf))),
};
for (const [place, { lacking }] of Object.entries(PLACES))
  if (lacking !== null) console.warn(`${place} is not tested here: ${lacking}`);

/** Searches the whole file system and its environment, and leaves a process that goes on searching. */
const SEEKER = `[agents.seeker]
command = "sh"
args = ["-c", '''
cat >/dev/null
search() { find / -path /proc -prune -o -path /sys -prune -o -name 'kept-secret*' -print 2>/dev/null; }
search >>found.txt
env | grep LLM_TOOL_TEST_CHECKS >>found.txt
echo turn >>turns.txt
(for n in 1 2 3 4 5 6 7 8 9; do search >>/tmp/seen.txt; sleep 0.2; done) >/dev/null 2>&1 &
cat /tmp/seen.txt >>found.txt 2>/dev/null
echo done
''']
prompt = "stdin"
free = true
`;

/** Two turns, each followed by checks that read the hidden files. */
const scenarioIn = (name: string, environment: string, checks: string): string => `name: ${name}
agent: seeker
environment: ${environment}
checks_folder: ${checks}
run:
${['First.', 'Again.']
  .map(
    (input) => `  - input: ${input}
    evaluations:
      - { type: script, description: the check, command: 'sh "$LLM_TOOL_TEST_CHECKS/kept-secret.sh"' }
      - { type: file_equals, path: same.txt, expected: kept-secret.txt }
`,
  )
  .join('')}evaluations:
  - { type: command_output_matches, command: 'wc -l <turns.txt', pattern: '^\\s*2\\s*$' }
setup:
  virtual_fs: { same.txt: "expected\\n" }
`;

let project: TestProject;
/** Not in the temporary folder, of which a sandbox has its own. */
let outside: string;
beforeAll(async () => {
  outside = await mkdtemp(join(REPOSITORY, '.hidden-checks-'));
  project = await createProject({ 'llm-tool-test-config.toml': SEEKER }, { ownEngine: true, stateIn: outside });
});
afterAll(async () => {
  // The engine of the results folder, which is not the one of the project.
  await project.cli(['engine', 'stop', '--results', join(outside, 'results')]);
  await project.remove();
  await rm(outside, { recursive: true });
});

async function searched(name: string, environment: string) {
  const checks = join(outside, 'checks');
  await mkdir(checks, { recursive: true });
  await writeFile(join(checks, 'kept-secret.sh'), 'exec cmp -s same.txt "${0%.sh}.txt"\n');
  await writeFile(join(checks, 'kept-secret.txt'), 'expected\n');
  await project.write(`${name}.scenario.yaml`, scenarioIn(name, environment, relative(project.folder, checks)));
  const args = [`${name}.scenario.yaml`, '--results', join(outside, 'results')];
  const { document, stderr } = await project.run(args, { LLM_TOOL_TEST_ENABLED: '1' });
  const { run, metrics, text } = await openRun(document);
  expect(run.outcome, JSON.stringify([metrics.details, stderr])).toBe('pass');
  expect(metrics.gates_passed).toBe(5);
  return (await text('fixture/found.txt')).split('\n').filter(Boolean);
}

describe('an agent that searches the whole file system, in each of two turns with checks after both', () => {
  it.each(Object.keys(PLACES))('finds no file of the checks in %s', async (place) => {
    const { environment = '', lacking = null } = PLACES[place] ?? {};
    if (lacking !== null) return;
    expect(await searched(place.replace(/\W/g, '-'), environment)).toEqual([]);
  });

  it('finds the source and the snapshot in local, which hides nothing, but no variable that leads there', async () => {
    const found = await searched('local', '{type: local}');
    expect(found).toContain(join(outside, 'checks', 'kept-secret.sh'));
    expect(found).toContainEqual(expect.stringContaining('/.store/'));
    expect(found.filter((line) => line.includes('LLM_TOOL_TEST_CHECKS'))).toEqual([]);
    expect(found.filter((line) => line.includes('/work/') && line.includes('check-files'))).toEqual([]);
  });
});
