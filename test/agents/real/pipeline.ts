import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRunsIn } from '../../../src/client/follow/waiting-reason.js';
import { markedProcesses } from '../../../src/host/process/marked-processes.js';
import { opaqueId } from '../../../src/store/results-folder.js';
import { kill, linesIn, partOf, stateOf, untilLines } from '../../commands/engine-parts.js';
import { createProject, documentOf, openRun, scenario, until, type TestProject } from '../../commands/project.js';
import { killProcess } from '../../host/processes.js';
import { provideCli, type CliName } from '../clis.js';
import type { ScriptInput } from '../model-server/script.js';
import { startModelServer, type ModelServer } from '../model-server/server.js';
import { agentPid, losePower, runOf, SAYS_SAVED, untilSaved } from './agent-process.js';
import { MODELS } from './models.js';

/** The tests of a real agent: its work, its end, and its recovery from failures. */
export function testPipeline(agent: CliName): void {
  describe(`${agent} through the whole pipeline`, () => {
    const resumes = agent !== 'gemini';
    let project: TestProject;
    let server: ModelServer;
    let env: Record<string, string>;

    /** A command that records its start and then waits for the test. */
    const gated = (name: string): string =>
      `echo start >> ${project.folder}/${name}.starts; until [ -e ${project.folder}/${name}.go ]; do sleep 0.1; done; echo ${name} >> out.txt`;

    beforeAll(async () => {
      const program = await provideCli(agent, console.log);
      project = await createProject(
        {
          'fixtures/empty/README.md': 'nothing\n',
          'llm-tool-test-config.toml': `[agents.${agent}]\ncommand = ${JSON.stringify(program)}\nmodels = ["${MODELS[agent]}"]\n`,
        },
        { ownServer: true },
      );
      const done = { say: 'All is done.' };
      const scripts: ScriptInput[] = [
        {
          when: 'second message',
          // The steps are counted by results of tools, of which the session of the first message has one.
          steps: [
            ...(agent === 'gemini' ? [] : [{ say: 'The session was lost.' }]),
            { run: 'echo two >> out.txt' },
            { say: 'Both are done.' },
          ],
        },
        { when: 'first message', steps: [{ run: 'echo one >> out.txt' }, { say: 'One is done.' }] },
        {
          when: 'task ok',
          steps: [{ run: 'cat missing.txt' }, { run: 'echo ok > out.txt && cat README.md' }, done],
        },
        {
          when: 'task busy',
          steps: [{ run: 'echo busy >> out.txt' }, done],
          // More failures than the agent retries by itself, but fewer than twice as many.
          faults: [{ error: 'rate_limit', step: 1, times: agent === 'pi' ? 18 : 7, retry_after_secs: 1 }],
        },
        { when: 'task key', steps: [done], faults: [{ error: 'bad_key' }] },
        {
          when: 'task hang',
          steps: [{ run: 'setsid tail -f /dev/null > /dev/null 2>&1 & echo hang > out.txt' }, done],
          faults: [{ break: 'hang', step: 1 }],
        },
        ...['adopted', 'resumed', 'cancelled', 'lost'].map((name) => ({
          when: `task ${name}`,
          steps: [{ run: `echo first >> out.txt; ${SAYS_SAVED}` }, { run: gated(name) }, done],
        })),
      ];
      server = await startModelServer(scripts);
      env = { LLM_TOOL_TEST_ENABLED: '1' };
      for (const maker of ['ANTHROPIC', 'OPENAI', 'GEMINI']) env[`${maker}_API_KEY`] = 'key-of-the-test';
      for (const maker of ['ANTHROPIC', 'OPENAI', 'GOOGLE_GEMINI']) env[`${maker}_BASE_URL`] = server.url;
      // Some agents tell the model that a call was interrupted by the loss; then the call is not repeated.
      const substring = (name: string): string => (['resumed', 'cancelled', 'lost'].includes(name) ? 'first' : name);
      const gates = (name: string): string[] => [`{type: file_contains, path: out.txt, substring: ${substring(name)}}`];
      const write = (name: string, more = '', prompt = `task ${name}`): Promise<void> =>
        project.write(
          `fixtures/${name}.yaml`,
          scenario(name, { gates: gates(name), more: `tool_matrix: [{tool: ${agent}}]\n${more}` }).replace(
            '"do it"',
            JSON.stringify(prompt),
          ),
        );
      await write('ok', '', '- task ok: a prompt that begins like an option');
      for (const name of ['busy', 'key', 'adopted', 'resumed', 'cancelled', 'lost']) await write(name);
      // Enough for an agent that starts slowly to reach the point where it hangs.
      for (const name of ['hang', 'failing', 'offline']) await write(name, 'run: {timeout_secs: 40}');
    });
    afterAll(async () => {
      await server.close();
      await project.remove();
    });

    const run = async (name: string) => {
      const { document } = await project.run([name], env);
      return openRun(document);
    };
    const start = (name: string, more = {}) =>
      project.start(['run', name, '--name', name, '--json'], { ...env, ...more });

    test('a run records a failed and a successful tool call, the tokens, and a proven end', async () => {
      const { run: record, metrics, text } = await run('ok');
      expect(record).toMatchObject({
        outcome: 'pass',
        agent: { ending: 'done', starts: 1, completed: true },
      });
      expect(record.agent?.session_id).toBeTruthy();
      expect(record.agent?.token_usage.input).toBeGreaterThan(1000);
      expect(record.agent?.token_usage.output).toBeGreaterThan(50);
      expect(record.agent?.version).toMatch(/\d+\.\d+/);
      // Gemini's stream has no exit codes.
      const error_count = agent === 'gemini' ? 0 : 1;
      expect(metrics.efficiency).toMatchObject({ total_commands: 2, error_count });
      const events = (await text('artifacts/events.jsonl'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { type: string; command?: string; text?: string });
      const commands = events.flatMap(({ type, command }) => (type === 'tool_call' ? [command] : []));
      expect(commands).toEqual(['cat missing.txt', 'echo ok > out.txt && cat README.md']);
      expect(events.some(({ type, text }) => type === 'message' && text?.includes('All is done.'))).toBe(true);
      expect(events.filter(({ type }) => type === 'unknown')).toEqual([]);
      expect(await text('artifacts/transcript.human.txt')).toMatch(/All is done\./);
      const asked = server.requests.filter(({ script }) => script === 0);
      expect(asked.every(({ key }) => key === 'key-of-the-test')).toBe(true);
    });

    test('the messages of a scenario belong to one session', async () => {
      await project.write(
        'talk.scenario.yaml',
        `name: talk
agent: ${agent}
run:
  - input: first message
    evaluations: [{ type: string_contains, value: One is done }]
  - input: second message
    evaluations:
      - { type: string_contains, value: Both are done }
      - { type: step_count, max_steps: 1 }
evaluations: [{ type: file_contains, path: out.txt, value: "one\\ntwo" }]
`,
      );
      const { document } = await project.run(['talk.scenario.yaml'], env);
      const { run: record } = await openRun(document);
      expect([record.outcome, record.message]).toEqual(['pass', '4/4 gates passed']);
      expect(record).toMatchObject({ starts: 2, agent: { starts: 2, completed: true } });
      expect(record.conversation?.turns.map(({ user, agent: said }) => [user, said])).toEqual([
        ['first message', 'One is done.'],
        ['second message', 'Both are done.'],
      ]);
    });

    test('a run waits for a rate limit and then passes', async () => {
      const { run: record } = await run('busy');
      expect(record.outcome).toBe('pass');
      expect(record.agent?.history.join('\n')).toMatch(/agent run 1 ended: .*busy or unavailable/);
    });

    test('a refused key makes the run an error that says so, without a retry', async () => {
      const { run: record } = await run('key');
      expect(record).toMatchObject({ outcome: 'error', agent: { ending: 'unable', starts: 1 } });
      expect(record.message).toMatch(/key was refused/);
    });

    test('an agent that hangs is ended by the time limit, with everything that it left running', async () => {
      const { run: record } = await run('hang');
      expect(record.agent?.message).toContain('timed out');
      expect(record).toMatchObject({ outcome: 'pass', agent: { ending: 'timeout', completed: false } });
      expect(markedProcesses(opaqueId(record.run_id))).toEqual([]);
    });

    test.each([
      ['failing', 'answers with status 500', /run 1 ended: .*its provider was busy or unavailable/],
      ['offline', 'cannot be reached', /run 1 ended: .*its provider could not be reached/],
    ])('a run waits, %s, while its provider %s, and then passes', async (name, _, cause) => {
      const failing = await startModelServer([{ steps: [{ say: '' }], faults: [{ error: 'server_error' }] }]);
      if (name === 'offline') await failing.close();
      const addresses = Object.keys(env).filter((variable) => variable.endsWith('_BASE_URL'));
      const command = start(name, Object.fromEntries(addresses.map((variable) => [variable, failing.url])));
      const isParked = () => openRunsIn(stateOf(project)).some((run) => run.cell.scenario === name && run.isParked);
      const hasEnded = (): boolean => command.exitCode !== null;
      await until('the run waits', () => (isParked() || hasEnded() ? true : null), 240_000);
      if (name === 'failing') await failing.close();
      const steps = [{ run: `echo ${name} >> out.txt` }, { say: 'All is done.' }];
      const working = await startModelServer([{ steps }], Number(new URL(failing.url).port));
      try {
        const { run: record } = await openRun(documentOf((await command).stdout));
        expect(record).toMatchObject({ outcome: 'pass', agent: { ending: 'done', starts: 2 } });
        expect(record.agent?.history.join('\n')).toMatch(cause);
      } finally {
        await working.close();
      }
    });

    test('a run that is cancelled leaves nothing running', async () => {
      const command = start('cancelled');
      await untilLines(project, 'cancelled.starts', 1, 120_000);
      await project.cli(['cancel', 'cancelled'], env);
      const { run: record } = await openRun(documentOf((await command).stdout));
      expect(record).toMatchObject({ outcome: 'cancelled', agent: { ending: 'cancelled' } });
      expect(markedProcesses(opaqueId(record.run_id))).toEqual([]);
    });

    test('the agent is adopted after the worker was killed', async () => {
      const command = start('adopted');
      await untilLines(project, 'adopted.starts', 1, 120_000);
      await kill(project, 'worker');
      await until('another worker', () => partOf(project, 'worker'));
      await project.write('adopted.go', '');
      const { run: record } = await openRun(documentOf((await command).stdout));
      expect(record).toMatchObject({ outcome: 'pass', agent: { ending: 'done', starts: 1 } });
      expect(linesIn(project, 'adopted.starts')).toHaveLength(1);
    });

    test('the agent resumes its session, if it can, after it was killed with its supervisor', async () => {
      const command = start('resumed');
      await untilLines(project, 'resumed.starts', 1, 120_000);
      const name = await runOf(project, 'resumed');
      if (resumes) await untilSaved(project, name);
      killProcess(await agentPid(project, name));
      await project.write('resumed.go', '');
      await expectSecondStart(await openRun(documentOf((await command).stdout)));
    });

    test('the agent resumes its session, if it can, after a power loss', async () => {
      const command = start('lost');
      await untilLines(project, 'lost.starts', 1, 120_000);
      const name = await runOf(project, 'lost');
      if (resumes) await untilSaved(project, name);
      await losePower(project, name, command);
      await project.write('lost.go', '');
      const folder = await openRun(documentOf((await project.cli(['resume', 'lost', '--json'], env)).stdout));
      await expectSecondStart(folder);
      expect(folder.run.agent?.history.join('\n')).toMatch(/start 1 of the agent was lost/);
      expect((await project.resultLines()).filter(({ id }) => id === name)).toHaveLength(1);
    });

    /** Expects that the agent went on in its session, if it can, and repeated no call that had ended. */
    async function expectSecondStart({ run: record, text }: Awaited<ReturnType<typeof openRun>>): Promise<void> {
      expect(record).toMatchObject({ outcome: 'pass', agent: { ending: 'done', starts: 2 } });
      const how = resumes ? /start 2 .* resumed its session/ : /start 2 .* began in a fresh workspace/;
      expect(record.agent?.history.join('\n')).toMatch(how);
      expect(markedProcesses(opaqueId(record.run_id))).toEqual([]);
      expect((await text('fixture/out.txt')).match(/first/g)).toHaveLength(1);
    }
  });
}
