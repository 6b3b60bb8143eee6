import { execFileSync, spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readLeftovers } from '../../src/host/leftovers.js';
import { findExecutable } from '../../src/host/process/find-deno.js';
import { opaqueId } from '../../src/store/results-folder.js';
import { runWorkflowId } from '../../src/protocol/index.js';
import {
  createProject,
  documentOf,
  EMPTY_FIXTURE,
  openRun,
  scenario,
  until,
  type TestProject,
} from '../commands/project.js';
import { containersOf, IMAGE, processesInside, USER_IMAGE, whyNoContainers } from '../environments/containers.js';
import { sweepOf } from '../commands/gated.js';
import { kill, partOf, runsOf, stateOf } from '../commands/engine-parts.js';
import { killProcess } from '../host/processes.js';
import { WAITER } from './waiter.js';

const lacking = (await whyNoContainers('docker')) ?? (await whyNoContainers('docker', USER_IMAGE));
if (lacking !== null) console.warn(`containers are not tested here: ${lacking}`);

/**
 * As the model `slow`, it never answers. Its summary names what is in its workspace, and the other folders of the run.
 */
const JUDGE = `
[agents.judge]
command = "sh"
args = ["-c", '''
cat >/dev/null
[ "$0" != slow ] || sleep 1000
seen=$(ls -A; ls -d /llm-tool-test/*)
printf '{"issues": [], "highlights": [], "scores": {"done": 0.9}, "confidence": 1, "summary": "%s"}' "$(echo $seen)"
''', "{model}"]
prompt = "stdin"
free = true
`;
const RUBRIC = `
criteria: [{id: done, weight: 1, description: It is done}]
output: {format: json, require_fields: [summary]}
`;
const GATES = [
  '{type: file_contains, path: out.txt, substring: after}',
  `{type: command_output_matches, command: 'wc -l <starts', pattern: '^\\s*1\\s*$'}`,
  `{type: command_succeeds, command: 'grep -q before "$LLM_TOOL_TEST_TRANSCRIPT" && tool'}`,
];
/** True if a process has a child of this name that has not ended. */
const isRunning = (program: string, parent: number): boolean =>
  spawnSync('ps', ['-o', 'stat=,comm=', '--ppid', String(parent)], { encoding: 'utf8' })
    .stdout.split('\n')
    .some((line) => line.endsWith(` ${program}`) && !line.startsWith('Z'));
const place = `environment: {type: docker, image: "${IMAGE}"}`;

describe.skipIf(lacking !== null)('a sweep in containers', () => {
  let project: TestProject;

  beforeAll(async () => {
    project = await createProject(EMPTY_FIXTURE);
    project.env['LLM_TOOL_TEST_LIMITS'] = '{"watchMs": 3000, "heartbeatMs": 4000}';
    await project.write('llm-tool-test-config.toml', `${WAITER}${JUDGE}`);
    await project.write('fixtures/rubric.yaml', RUBRIC);
  });
  afterAll(() => project.remove());

  const writeScenario = (name: string, prompt: string, steps = ['say: x'], gates = GATES): Promise<void> =>
    project.write(
      `fixtures/${name}.yaml`,
      scenario(name, {
        gates,
        steps,
        more: `${place}\nsetup: {commands: ["mkdir -p ../bin && printf '#!/bin/sh\\\\nexit 0\\\\n' >../bin/tool && chmod +x ../bin/tool"]}`,
      }).replace('"do it"', prompt),
    );

  const writeJudged = (name: string, model: string, image: string): Promise<void> =>
    project.write(
      `fixtures/${name}.yaml`,
      scenario(name, { steps: ['say: x'], more: place.replace(IMAGE, image) }).replace(
        'evaluation:',
        `evaluation:\n  judge: {enabled: true, rubric: rubric.yaml, pass_threshold: 0.6, model: 'agent:judge/${model}'}`,
      ),
    );

  const ofScenario = (name: string): string[] => runsOf(project, name).flatMap((run) => containersOf(opaqueId(run)));
  const container = (name: string): Promise<string> => until('the container', () => ofScenario(name)[0] ?? null);
  const letGo = (name: string): void =>
    void execFileSync('docker', ['exec', name, 'touch', '/llm-tool-test/workspace/go']);
  /** Waits until the agent runs in the container. */
  const working = async (name: string): Promise<string> => {
    const found = await container(name);
    await until('the agent', () => (processesInside(found, 'until [ -e').length > 0 ? true : null));
    return found;
  };

  it('can be started where doctor finds docker', async () => {
    const { stdout } = await project.cli(['doctor', '--json']);
    const { checks } = JSON.parse(stdout) as { checks: { name: string }[] };
    expect(checks.find(({ name }) => name === 'containers')).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(/^containers are available with docker( and podman)? \(/) as string,
    });
  });

  it('passes, and leaves no container', async () => {
    await writeScenario('plain', 'README.md');
    const { exitCode, document, stderr } = await project.run(['plain', '--agents', 'waiter']);
    expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
    const { run } = await openRun(document);
    expect(run).toMatchObject({ outcome: 'pass', environment: 'docker', sandboxed: true, starts: 1 });
    expect(run.image?.name).toBe(IMAGE);
    expect(run.agent?.containment).toBe('container');
    expect(containersOf(opaqueId(run.run_id))).toEqual([]);
  });

  it('passes if the user of the image is not root', async () => {
    const gates = [...GATES, `{type: command_output_matches, command: 'id -u', pattern: '^1000\\s*$'}`];
    await writeScenario('unprivileged', 'README.md', ['say: x'], gates);
    await project.write(
      'fixtures/unprivileged.yaml',
      (await project.read('fixtures/unprivileged.yaml')).replace(IMAGE, USER_IMAGE),
    );
    const { document } = await project.run(['unprivileged', '--agents', 'waiter']);
    const { run, text } = await openRun(document);
    expect(run).toMatchObject({ outcome: 'pass', message: '4/4 gates passed', starts: 1 });
    expect(await text('fixture/out.txt')).toBe('after\n');
    expect(containersOf(opaqueId(run.run_id))).toEqual([]);
  });

  it.each([IMAGE, USER_IMAGE])('is judged by an agent in a container of its own, made from %s', async (image) => {
    const name = image === IMAGE ? 'judged' : 'judged-as-user';
    await writeJudged(name, 'good', image);
    const { document } = await project.run([name, '--agents', 'mock']);
    const { run, metrics } = await openRun(document);
    expect(run).toMatchObject({
      outcome: 'pass',
      message: expect.stringContaining('judge 0.90') as string,
    });
    // Neither the workspace nor the results of the run.
    expect(metrics.judge?.fields).toEqual({ summary: '/llm-tool-test/judge' });
    expect(containersOf(opaqueId(run.run_id))).toEqual([]);
  });

  it('ends the judging agent and both containers when the sweep is cancelled', async () => {
    await writeJudged('half-judged', 'slow', IMAGE);
    const command = project.start(['run', 'half-judged', '--agents', 'mock', '--name', 'judging', '--json']);
    const judges = await until(
      'the container of the judge',
      () => ofScenario('half-judged').find((name) => name.endsWith('-judge')) ?? null,
    );
    await until('the judge', () => (processesInside(judges, 'sleep 1000').length > 0 ? true : null));
    expect(ofScenario('half-judged')).toHaveLength(2);
    expect((await project.cli(['cancel', 'judging'])).exitCode).toBe(0);
    const { run } = await openRun(documentOf((await command).stdout));
    expect(run.outcome).toBe('cancelled');
    expect(containersOf(opaqueId(run.run_id))).toEqual([]);
  });

  it("runs the mock's commands in the container", async () => {
    const gates = ['{type: file_contains, path: made.txt, substring: BusyBox}', '{type: no_transcript_errors}'];
    await writeScenario(
      'played',
      'x',
      ['run: busybox | head -n 1 >made.txt', `run: 'printf "a\\t\\"b\\"\\\\\\n"'`],
      gates,
    );
    const { exitCode, document } = await project.run(['played', '--agents', 'mock']);
    expect(exitCode).toBe(0);
    const { text } = await openRun(document);
    expect(await text('artifacts/transcript.human.md').catch(() => text('artifacts/events.jsonl'))).toContain('b');
  });

  it('adopts the agent after its worker was killed, with one start and all output', async () => {
    await writeScenario('adopted', 'go');
    const command = project.start(['run', 'adopted', '--agents', 'waiter', '--json']);
    const name = await working('adopted');
    await kill(project, 'worker');
    await until('another worker', () => partOf(project, 'worker'));
    letGo(name);
    const { exitCode, stdout } = await command;
    expect(exitCode).toBe(0);
    const { run, text } = await openRun(documentOf(stdout));
    expect(run).toMatchObject({ outcome: 'pass', starts: 1 });
    expect(await text('artifacts/transcript.raw.txt')).toBe('before\nafter\n');
    expect(containersOf(opaqueId(run.run_id))).toEqual([]);
  });

  it('ends with an error if an agent kills what passes on its output, at each start', async () => {
    const kill = 'kill -9 $(grep -l [s]tream= /proc/[0-9]*/cmdline | grep -v self | cut -d / -f 3); true';
    const gates = ['{type: command_called, pattern: first}'];
    await writeScenario('muted', 'x', ['run: first', `run: ${JSON.stringify(kill)}`, 'say: x'], gates);
    const { document } = await project.run(['muted', '--agents', 'mock']);
    const { run } = await openRun(document);
    expect(run).toMatchObject({ outcome: 'error', starts: 3 });
    expect(run.message).toContain('the agent was lost 3 times without an exit status: what passes on');
  });

  it('starts the agent again in another container if the first one is removed while it works', async () => {
    await writeScenario('lost', 'go');
    const command = project.start(['run', 'lost', '--agents', 'waiter', '--json']);
    execFileSync('docker', ['rm', '--force', await working('lost')]);
    letGo(await working('lost'));
    const { run } = await openRun(documentOf((await command).stdout));
    expect(run).toMatchObject({ outcome: 'pass', starts: 2 });
    expect(containersOf(opaqueId(run.run_id))).toEqual([]);
  });

  it('gets another container if its own is lost between a command and the start of the agent', async () => {
    const code = 'until [ -e held ]; do sleep 0.1; done';
    const text = `name: early
${place}
setup: {virtual_fs: {README.md: hi}}
run: [{lang: sh, code: "${code}"}, {input: README.md, evaluations: [{type: file_exists, path: out.txt}]}]
judgment: {strategy: all_pass}
`;
    await project.write('fixtures/early.scenario.yaml', text);
    const command = project.start(['run', 'early.scenario', '--agents', 'waiter', '--name', 'early', '--json']);
    const name = await container('early');
    const idOf = () =>
      spawnSync('docker', ['inspect', '--format', '{{.Id}}', name], { encoding: 'utf8' }).stdout.trim();
    const letGoOn = async () => {
      await until('the command', () => processesInside(name, code)[0] ?? null);
      execFileSync('docker', ['exec', name, 'touch', '/llm-tool-test/workspace/held']);
    };
    const first = idOf();
    const worker = await until('the worker', () => partOf(project, 'worker'));
    await until('the command', () => processesInside(name, code)[0] ?? null);
    killProcess(worker.pid, 'SIGSTOP');
    await letGoOn();
    // The worker finds that the command has ended and, after that, no container.
    await until('the end of docker exec', () => (isRunning('docker', worker.pid) ? null : true));
    execFileSync('docker', ['rm', '--force', name]);
    killProcess(worker.pid, 'SIGCONT');
    await until('another container', () => (['', first].includes(idOf()) ? null : true));
    await letGoOn();
    const { run } = await openRun(documentOf((await command).stdout));
    expect(run).toMatchObject({ outcome: 'pass', starts: 1 });
    expect(JSON.stringify(run)).toContain('start 1 of the agent began in a fresh workspace');
    expect(containersOf(opaqueId(run.run_id))).toEqual([]);
  });

  it('ends with an error, not a failure, if its container is removed while the gates are checked', async () => {
    await writeScenario(
      'gone',
      'README.md',
      ['say: x'],
      [
        `{type: command_succeeds, command: 'until [ -e never ]; do sleep 0.1; done'}`,
        '{type: file_exists, path: out.txt}',
      ],
    );
    const command = project.start(['run', 'gone', '--agents', 'waiter', '--json']);
    const name = await container('gone');
    await until('the gate', () => (processesInside(name, 'until [ -e never').length > 0 ? true : null));
    execFileSync('docker', ['rm', '--force', name]);
    const { metrics } = await openRun(documentOf((await command).stdout));
    expect(metrics).toMatchObject({ outcome: 'error' });
    expect(metrics.details.map(({ status }) => status)).toEqual(['error', 'error']);
  });

  it('ends the agent and its container when the sweep is cancelled', async () => {
    await writeScenario('cancelled', 'never');
    const command = project.start(['run', 'cancelled', '--agents', 'waiter', '--name', 'stopped', '--json']);
    await working('cancelled');
    expect((await project.cli(['cancel', 'stopped'])).exitCode).toBe(0);
    const { stdout } = await command;
    const { run, text } = await openRun(documentOf(stdout));
    expect(run.outcome).toBe('cancelled');
    expect(await text('artifacts/transcript.raw.txt')).toContain('before');
    expect(containersOf(opaqueId(run.run_id))).toEqual([]);
  });

  it('removes the container of a terminated run', async () => {
    await writeScenario('cut', 'never');
    const command = project.start(['run', 'cut', '--agents', 'waiter', '--name', 'cut', '--json']);
    await working('cut');
    const [cut = ''] = runsOf(project, 'cut');
    expect(containersOf(opaqueId(cut))).toHaveLength(1);
    const connection = await Connection.connect({ address: inject('temporalAddress') });
    const run = runWorkflowId(await sweepOf(project, 'cut'), 'cut/waiter/m/default/1', 1);
    await new Client({ connection }).workflow.getHandle(run).terminate('by a test');
    expect((await command).exitCode).toBe(3);
    await until('the end of the container', () => (containersOf(opaqueId(cut)).length === 0 ? true : null));
    await connection.close();
  });

  it('removes the container before the report, names one that cannot be removed, and removes it later', async () => {
    const own = await createProject(EMPTY_FIXTURE, { ownEngine: true });
    try {
      // Counts the results at each removal, and refuses to remove while `broken` exists.
      await own.write(
        'bin/docker',
        `#!/bin/sh
if [ "$1" = rm ]; then
  cat '${own.results}/results.jsonl' 2>/dev/null | wc -l >>'${own.folder}/removals'
  if [ -e '${own.folder}/broken' ]; then echo 'device is busy' >&2; exit 1; fi
fi
exec '${findExecutable('docker')}' "$@"
`,
        0o755,
      );
      own.env['PATH'] = `${own.folder}/bin:${process.env['PATH'] ?? ''}`;
      await own.write(
        'fixtures/left.yaml',
        scenario('left', { gates: ['{type: file_exists, path: README.md}'], steps: ['say: x'], more: place }),
      );
      await own.write('broken', '');
      const { document } = await own.run(['left', '--agents', 'mock']);
      const { run } = await openRun(document);
      const [name = ''] = containersOf(opaqueId(run.run_id));
      expect([run.outcome, run.warnings]).toEqual([
        'pass',
        [
          expect.stringContaining(
            `could not be removed: docker container ${name}: docker rm ${name} failed: device is busy`,
          ),
        ],
      ]);
      // Removed once before it was made, and then at each attempt to tear it down.
      expect((await own.read('removals')).trim().split(/\s+/).slice(0, 4)).toEqual(['0', '0', '0', '0']);
      expect((await own.cli(['doctor'])).stdout).toContain(`docker rm --force --volumes ${name}`);
      expect(await own.cli(['engine', 'stop'])).toMatchObject({ exitCode: 0 });
      await rm(`${own.folder}/broken`);
      expect(await own.cli(['engine', 'start'])).toMatchObject({ exitCode: 0 });
      await until('the container is removed', () => (containersOf(opaqueId(run.run_id)).length === 0 ? true : null));
      await until('the note is removed', async () => ((await readLeftovers(stateOf(own))).length === 0 ? true : null));
    } finally {
      await own.remove();
    }
  });

  it('does not start if the image is missing, docker does not work, or the target is not in the container', async () => {
    const { folder } = project;
    await project.write('fixtures/absent.yaml', scenario('absent', { more: place.replace(IMAGE, 'none:1') }));
    const absent = await project.cli(['run', 'absent', '--agents', 'mock']);
    expect(absent).toMatchObject({ exitCode: 3 });
    expect(absent.stderr).toContain('the image none:1 is not on this machine; get it with docker pull none:1');
    await project.write('bin/outside', '#!/bin/sh\n', 0o755);
    await writeScenario('outside', 'x');
    const outside = await project.cli([
      'run',
      'outside',
      '--agents',
      'mock',
      '--target-binary',
      `${folder}/bin/outside`,
    ]);
    expect(outside).toMatchObject({ exitCode: 2 });
    expect(outside.stderr).toContain('is not in the container of environment.type docker');
    const down = await project.cli(['run', 'outside', '--agents', 'mock'], {
      DOCKER_HOST: `unix://${folder}/none.sock`,
    });
    expect(down).toMatchObject({ exitCode: 3 });
    expect(down.stderr).toContain('docker does not work here: ');
  });
});
