import type { CommandResult } from '../../lib/commands/command-result.js';
import { RUN_MARK } from '../../platform/process/marked-processes.js';
import { runCommand } from '../../platform/process/run-command.js';
import type { Container, EnvironmentHandle } from '../environment.js';
import {
  assertAnswered,
  MachineGone,
  reasonIn,
  type CommandLimits,
  type Machine,
} from '../machine/machine.js';
import { machineEnvironment } from '../machine/machine-environment.js';
import { askCli, runScript, scriptArgs, stateOf } from './container-cli.js';
import { copyIn, copyOut } from './copy.js';
import { FIRST_PROCESS, killAllScript } from './processes.js';

/** Label of all our containers; its value is the run's mark. */
const LABEL = 'llm-tool-test';
const POLL_MS = 250;

async function remove(container: Container): Promise<void> {
  const { command, name } = container;
  const answer = await askCli(command, ['rm', '--force', '--volumes', name]);
  if (answer.exitCode !== 0 && (await stateOf(container)) !== 'missing')
    assertAnswered(`${command} rm ${name}`, answer);
}

async function create({ command, name, image }: Container, mark: string): Promise<void> {
  const made = await askCli(command, [
    ...['run', '--detach', '--pull', 'never', '--name', name, '--label', `${LABEL}=${mark}`],
    // Everything that is started in it carries the mark of the run.
    ...['--env', `${RUN_MARK}=${mark}`, '--workdir', '/', '--entrypoint', 'sh'],
    ...[image, '-c', FIRST_PROCESS],
  ]);
  assertAnswered(`${command} run`, made);
}

async function command(
  container: Container,
  script: string,
  { timeoutMs, signal, endScript }: CommandLimits,
): Promise<CommandResult> {
  const state = { ended: false };
  try {
    const result = await runCommand({
      command: [container.command, ...scriptArgs(container)],
      input: script,
      cwd: '/',
      env: process.env as Record<string, string>,
      timeoutMs,
      ...(signal === undefined ? {} : { signal }),
    });
    state.ended = !result.timedOut;
    // A failure of the container says nothing about the command. Checked only now, because most commands succeed.
    if (result.exitCode === 0 || result.timedOut || (await stateOf(container)) === 'running') return result;
    // Starts the container for the next attempt.
    if ((await runScript(container, ':')) === null)
      throw new MachineGone(`the container ${container.name} is gone`);
    throw new Error(`the container ${container.name} was stopped: ${reasonIn(result.stderr)}`);
  } finally {
    // When the `docker` process ends, what it started in the container continues.
    if (!state.ended) await runScript(container, endScript);
  }
}

function containerOf({ container, mark }: EnvironmentHandle): Machine {
  if (container === undefined) throw new Error('the environment has no container');
  return {
    title: `the container ${container.name}`,
    name: container.name,
    madeFrom: 'image',
    pollMs: POLL_MS,
    supervisorMode: 'container',
    killAllScript,
    run: (script, user) => runScript(container, script, user === undefined ? {} : { user: '0' }),
    command: (script, limits) => command(container, script, limits),
    attached: (argv, mark) => [
      ...[container.command, 'exec', '-i', '-u', '0', '--env', `${RUN_MARK}=${mark}`, container.name],
      ...argv,
    ],
    // Another attempt's container has the same name, so that only one of them can be created.
    create: () => create(container, mark),
    remove: () => remove(container),
    copyIn: (from, to) => copyIn(container, from, to),
    copyOut: (from, to) => copyOut(container, from, to),
  };
}

/** A separate container for each run, with Docker or Podman. */
export const docker = machineEnvironment(containerOf);
