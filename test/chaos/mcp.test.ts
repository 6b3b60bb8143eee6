import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { markedProcesses } from '../../src/host/process/marked-processes.js';
import type { RunEvent } from '../../src/model/records/events.js';
import { opaqueId } from '../../src/store/results-folder.js';
import { kill, linesIn, partOf, untilLines } from '../commands/engine-parts.js';
import { letGo, sweepOf } from '../commands/gated.js';
import {
  createProject,
  documentOf,
  EMPTY_FIXTURE,
  openRun,
  REPOSITORY,
  scenario,
  until,
  type TestProject,
} from '../commands/project.js';
import { killProcess, processesWith, thatRun } from '../host/processes.js';

const SERVER = join(REPOSITORY, 'test/mcp/server.js');

/** Writes a scenario whose agent calls a tool that answers when it is let go. Returns words of the server's command. */
async function writeSlow(project: TestProject, name: string): Promise<string> {
  const mark = `${project.folder}/server-of-${name}`;
  const [args, log, go] = [[SERVER, mark], `${project.folder}/${name}.log`, `${project.folder}/${name}.go`].map(
    (value) => JSON.stringify(value),
  );
  await project.write(
    `fixtures/${name}.yaml`,
    scenario(name, {
      gates: ['{type: mcp_tool_called, tool: wait_for, max: 1}', '{type: mcp_no_errors}'],
      steps: [`mcp: {server: slow, tool: wait_for, args: {file: ${go ?? ''}}}`],
      more: `subject: {mcp: {name: slow, command: node, args: ${args ?? ''}, env: {SERVER_LOG: ${log ?? ''}}}}`,
    }),
  );
  return mark;
}

const callsIn = (text: string): RunEvent[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RunEvent)
    .filter(({ type }) => type === 'mcp_call');

describe.each(['pidns', 'group'])('containment %s', (mode) => {
  let project: TestProject;
  beforeAll(async () => {
    project = await createProject(EMPTY_FIXTURE, { ownEngine: true });
    project.env['LLM_TOOL_TEST_CONTAINMENT'] = mode;
  });
  afterAll(() => project.remove());

  test('SIGKILL of the worker in the middle of an MCP call lets the next one adopt the run; the tool is called once, and the server is gone', async () => {
    const mark = await writeSlow(project, 'adopted');
    const command = project.start(['run', 'adopted', '--json']);
    await untilLines(project, 'adopted.log', 2);
    expect(processesWith(mark)).toHaveLength(1);
    await kill(project, 'worker');
    await until('another worker', () => partOf(project, 'worker'));
    expect(processesWith(mark)).toHaveLength(1);
    await letGo(project, 'adopted');
    const { run, text } = await openRun(documentOf((await command).stdout));
    expect(run).toMatchObject({ outcome: 'pass', agent: { starts: 1 } });
    expect(callsIn(await text('artifacts/events.jsonl'))).toMatchObject([{ tool: 'wait_for', is_error: false }]);
    expect(linesIn(project, 'adopted.log').map((line) => line.split(' ')[0])).toEqual(['start', 'wait_for']);
    expect(processesWith(mark)).toEqual([]);
    expect(markedProcesses(opaqueId(run.run_id))).toEqual([]);
  });

  test('SIGKILL of the agent in the middle of an MCP call ends the server; the agent is started again in a fresh workspace', async () => {
    const mark = await writeSlow(project, 'killed');
    const command = project.start(['run', 'killed', '--json']);
    await untilLines(project, 'killed.log', 2);
    const servers = processesWith(mark);
    const agents = thatRun(project.state, 'mock-program.js');
    expect(agents).toHaveLength(1);
    for (const pid of agents) killProcess(pid);
    await untilLines(project, 'killed.log', 4);
    expect(processesWith(mark).filter((pid) => servers.includes(pid))).toEqual([]);
    await letGo(project, 'killed');
    const { run, metrics, text } = await openRun(documentOf((await command).stdout));
    expect(run).toMatchObject({ outcome: 'pass', agent: { ending: 'done', starts: 2 } });
    expect(run.agent?.history.join('\n')).toMatch(/start 1 of the agent ended: .*killed from outside/);
    expect(metrics.details.map(({ status }) => status)).toEqual(['pass', 'pass']);
    expect(callsIn(await text('artifacts/events.jsonl'))).toMatchObject([{ tool: 'wait_for', is_error: false }]);
    expect(linesIn(project, 'killed.log').map((line) => line.split(' ')[0])).toEqual([
      ...['start', 'wait_for', 'start', 'wait_for'],
    ]);
    expect(processesWith(mark)).toEqual([]);
    expect(markedProcesses(opaqueId(run.run_id))).toEqual([]);
  });

  test.each([
    ['proxy', 'proxy-program.js', 'what works beside the agent ended before it'],
    ['relay', 'relay.pl', 'what passes on the output of the agent was killed'],
  ])(
    'SIGKILL of the %s in the middle of an MCP call makes the agent start again, and is never a failure',
    async (name, program, reason) => {
      const mark = await writeSlow(project, name);
      const command = project.start(['run', name, '--json']);
      await untilLines(project, `${name}.log`, 2);
      const found = thatRun(project.state, program);
      expect(found).toHaveLength(1);
      for (const pid of found) killProcess(pid);
      await letGo(project, name);
      const { run, metrics, text } = await openRun(documentOf((await command).stdout));
      expect(run.agent?.history.join('\n')).toContain(`lost without an exit status: ${reason}`);
      expect(run).toMatchObject({ outcome: 'pass', agent: { ending: 'done', starts: 2 } });
      expect(metrics.details.map(({ status }) => status)).toEqual(['pass', 'pass']);
      expect(callsIn(await text('artifacts/events.jsonl'))).toHaveLength(1);
      expect(processesWith(mark)).toEqual([]);
      expect(markedProcesses(run.run_id)).toEqual([]);
    },
  );

  test('an agent that is stopped in the middle of an MCP call leaves no server, and the call is recorded as unanswered', async () => {
    const mark = await writeSlow(project, 'stopped');
    const command = project.start(['run', 'stopped', '--name', 'stopped', '--json']);
    await untilLines(project, 'stopped.log', 2);
    await project.cli(['cancel', await sweepOf(project, 'stopped')]);
    const { run, text } = await openRun(documentOf((await command).stdout));
    expect(run.outcome).toBe('cancelled');
    expect(callsIn(await text('artifacts/events.jsonl'))).toMatchObject([
      { tool: 'wait_for', is_error: true, result: null },
    ]);
    expect(linesIn(project, 'stopped.log')).toHaveLength(2);
    expect(processesWith(mark)).toEqual([]);
    expect(markedProcesses(opaqueId(run.run_id))).toEqual([]);
  });
});
