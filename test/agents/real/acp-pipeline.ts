import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acpAgentNames } from '../../../src/agents/acp/presets.js';
import { markedProcesses } from '../../../src/host/process/marked-processes.js';
import { opaqueId } from '../../../src/store/results-folder.js';
import { kill, linesIn, partOf, untilLines } from '../../commands/engine-parts.js';
import { createProject, documentOf, openRun, scenario, until, type TestProject } from '../../commands/project.js';
import { killProcess } from '../../host/processes.js';
import { acpCli, type AcpCliName } from '../acp-clis.js';
import { startModelServer, type ModelServer } from '../model-server/server.js';
import { agentPid, losePower, runOf, SAYS_SAVED, untilSaved } from './agent-process.js';

const done = { say: 'All is done.' };

/** Tasks, and the words that they leave behind. */
const TASKS = { ok: 'ok', key: 'ok', adopted: 'first', resumed: 'first', cancelled: 'first', lost: 'first' };
/** The input tokens that are known of three requests, if not those of all. */
const KNOWN_INPUT: Partial<Record<AcpCliName, number | null>> = { opencode: 1000, gemini: 3300, 'fast-agent': null };
/** These begin afresh after they were killed. */
const STARTS_AFRESH: readonly AcpCliName[] = ['gemini', 'fast-agent'];

/** The tests of a real agent over ACP, by the name of its preset: its work, its end, and its recovery from failures. */
export function testAcp(preset: AcpCliName): void {
  describe(`${preset} over ACP`, () => {
    const { model, codes, provide } = acpCli(preset);
    const isBuiltIn = acpAgentNames.includes(preset);
    const takesSubject = preset !== 'fast-agent';
    const resumes = !STARTS_AFRESH.includes(preset);
    const name = isBuiltIn ? preset : `${preset}-acp`;
    let project: TestProject;
    let server: ModelServer;
    let env: Record<string, string>;

    beforeAll(async () => {
      const lines = [`[agents.${name}]`, `command = ${JSON.stringify(await provide())}`, `models = ["${model}"]`];
      if (!isBuiltIn) lines.push(`acp = "${preset}"`);
      project = await createProject(
        {
          'fixtures/empty/README.md': 'nothing\n',
          'fixtures/GUIDE.md': 'Always mention marker-of-the-instructions.\n',
          'llm-tool-test-config.toml': `${lines.join('\n')}\n`,
        },
        { ownServer: true },
      );
      const gated = (task: string): string =>
        `echo start >> ${project.folder}/${task}.starts; until [ -e ${project.folder}/${task}.go ]; do sleep 0.1; done`;
      server = await startModelServer([
        { when: 'task ok', steps: [{ run: 'cat missing.txt' }, { run: 'echo ok > out.txt && cat README.md' }, done] },
        { when: 'task key', steps: [done], faults: [{ error: 'bad_key' }] },
        ...['adopted', 'resumed', 'cancelled', 'lost'].map((task) => ({
          when: `task ${task}`,
          steps: [{ run: `echo first >> out.txt; ${SAYS_SAVED}` }, { run: gated(task) }, done],
        })),
      ]);
      env = { LLM_TOOL_TEST_ENABLED: '1', OPENAI_API_KEY: 'key-of-the-test', GEMINI_API_KEY: 'key-of-the-test' };
      for (const maker of ['OPENAI', 'GOOGLE_GEMINI', 'ANTHROPIC']) env[`${maker}_BASE_URL`] = server.url;
      env['ANTHROPIC_API_KEY'] = 'key-of-the-test';
      for (const [task, words] of Object.entries(TASKS)) {
        const gates = [`{type: file_contains, path: out.txt, substring: ${words}}`];
        const subject = takesSubject && task === 'ok' ? 'subject: {instructions: GUIDE.md}\n' : '';
        const text = scenario(task, { gates, more: `tool_matrix: [{tool: ${name}}]\n${subject}` });
        await project.write(`fixtures/${task}.yaml`, text.replace('"do it"', `"task ${task}"`));
      }
    });
    afterAll(async () => {
      await server.close();
      await project.remove();
    });

    test('records calls, tokens and a proven end', async () => {
      const { run: record, metrics, text } = await openRun((await project.run(['ok'], env)).document);
      expect(record).toMatchObject({ outcome: 'pass', agent: { ending: 'done', starts: 1, completed: true } });
      expect(record.agent?.version).toMatch(/\d+\.\d+/);
      const known = record.agent?.token_usage.input ?? record.agent?.token_usage_at_least?.input ?? null;
      expect(known).toBe(preset in KNOWN_INPUT ? KNOWN_INPUT[preset] : 3000);
      const calls = { total_commands: 2, error_count: codes ? 1 : 0 };
      // Codex takes `cat` for reading, and does not show the command: then the calls are unknown, not fewer.
      if (preset === 'codex') {
        expect(metrics.efficiency).toBeNull();
        expect(record.warnings.join('\n')).toMatch(/not fully known: a command that is not shown/);
      } else expect(metrics.efficiency, record.warnings.join('\n')).toMatchObject(calls);
      const events = (await text('artifacts/events.jsonl'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { type: string; command?: string | null });
      const commands = events.flatMap(({ type, command }) => (type === 'tool_call' ? [command] : []));
      const first = preset === 'codex' ? null : 'cat missing.txt';
      expect(commands).toEqual([first, 'echo ok > out.txt && cat README.md']);
      expect(await text('artifacts/transcript.human.txt')).toMatch(/All is done\./);
      expect(server.requests.every(({ key }) => key === 'key-of-the-test')).toBe(true);
      expect(JSON.stringify(server.requests).includes('marker-of-the-instructions')).toBe(takesSubject);
    });

    test('a refused key is an error that says so, although the agent may claim to have ended its turn', async () => {
      const { run: record } = await openRun((await project.run(['key'], env)).document);
      expect(record).toMatchObject({ outcome: 'error', agent: { ending: 'unable', starts: 1 } });
      expect(record.message).toMatch(/key was refused/);
    });

    test('is adopted after the worker was killed', async () => {
      const command = project.start(['run', 'adopted', '--name', 'adopted', '--json'], env);
      await untilLines(project, 'adopted.starts', 1, 120_000);
      await kill(project, 'worker');
      await until('another worker', () => partOf(project, 'worker'));
      await project.write('adopted.go', '');
      const { run: record } = await openRun(documentOf((await command).stdout));
      expect(record).toMatchObject({ outcome: 'pass', agent: { ending: 'done', starts: 1 } });
      expect(linesIn(project, 'adopted.starts')).toHaveLength(1);
    });

    test('is seen while it works, and leaves nothing running when it is cancelled', async () => {
      const command = project.start(['run', 'cancelled', '--name', 'cancelled', '--json'], env);
      await untilLines(project, 'cancelled.starts', 1, 120_000);
      const run = await runOf(project, 'cancelled');
      const follow = project.start(['show', run, '--follow'], env);
      await project.cli(['cancel', 'cancelled'], env);
      const { run: record } = await openRun(documentOf((await command).stdout));
      expect(record).toMatchObject({ outcome: 'cancelled', agent: { ending: 'cancelled' } });
      expect(markedProcesses(opaqueId(record.run_id))).toEqual([]);
      expect((await follow).stdout).toContain('echo first >> out.txt');
    });

    test('goes on after it was killed with its supervisor, and leaves nothing running', async () => {
      const command = project.start(['run', 'resumed', '--name', 'resumed', '--json'], env);
      await untilLines(project, 'resumed.starts', 1, 120_000);
      const run = await runOf(project, 'resumed');
      if (resumes) await untilSaved(project, run);
      killProcess(await agentPid(project, run));
      await project.write('resumed.go', '');
      const folder = await openRun(documentOf((await command).stdout));
      await expectSecondStart(folder);
    });

    test('goes on after its machine lost power', async () => {
      const command = project.start(['run', 'lost', '--name', 'lost', '--json'], env);
      await untilLines(project, 'lost.starts', 1, 120_000);
      const run = await runOf(project, 'lost');
      if (resumes) await untilSaved(project, run);
      await losePower(project, run, command);
      await project.write('lost.go', '');
      const { stdout } = await project.cli(['resume', 'lost', '--json'], env);
      const folder = await openRun(documentOf(stdout));
      await expectSecondStart(folder);
      expect(folder.run.agent?.history.join('\n')).toMatch(/start 1 of the agent was lost/);
      expect((await project.resultLines()).filter(({ id }) => id === run)).toHaveLength(1);
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
