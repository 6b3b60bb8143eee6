import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stateOfRun } from '../../src/store/results-folder.js';
import { kill, linesIn, partOf, stateOf } from '../commands/engine-parts.js';
import { KEYS } from '../commands/judged-project.js';
import { createModelServer, type ModelServer } from '../commands/model-server.js';
import { createProject, documentOf, openRun, until, type TestProject } from '../commands/project.js';
import { killAll, processesWith } from '../host/processes.js';

let server: ModelServer;
let project: TestProject;

beforeAll(async () => {
  server = await createModelServer();
  project = await createProject({}, { ownEngine: true });
  // Each turn is recorded, and waits until the test releases it.
  const gated = (name: string): string =>
    [
      'cat > /dev/null',
      `echo turn >> ${project.folder}/${name}.turns`,
      `n=$(wc -l < ${project.folder}/${name}.turns | tr -d " ")`,
      `until [ -e ${project.folder}/${name}.go.$n ]; do sleep 0.05; done`,
      'echo "reply $n"',
    ].join('; ');
  await project.write(
    'llm-tool-test-config.toml',
    [
      `[judge]\nmodel = "house/player"`,
      `[providers.house]\nbase_url = "${server.address}/house/v1"\napi_key = "\${HOUSE_KEY}"`,
      ...['killed', 'cancelled'].map(
        (name) =>
          `[agents.${name}]\ncommand = "sh"\nargs = ["-c", '''${gated(name)}''']\nprompt = "stdin"\nfree = true`,
      ),
      // The state of this module lives in its process; what it returns as state is all that a turn keeps.
      `[agents.counter]\nmodule = "./counter.mjs"\nfree = true`,
      '',
    ].join('\n'),
  );
});
afterAll(async () => {
  await project.remove();
  await server.close();
});

const file = (name: string, agent = name): string => `name: ${name}
agent: ${agent}
run:
  - input: I need a list.
    conversation:
      max_turns: 3
      user_simulator: { persona: a cook, objective: a list }
    evaluations: [{ type: string_contains, value: reply 3 }]
`;

const start = (name: string) =>
  project.start(['run', `${name}.scenario.yaml`, '--name', name, '--json'], {
    HOUSE_KEY: KEYS.HOUSE_KEY,
    LLM_TOOL_TEST_ENABLED: '1',
  });
const untilTurns = (name: string, count: number): Promise<true> =>
  until(`turn ${count}`, () => (linesIn(project, `${name}.turns`).length >= count ? true : null));
const letGo = (name: string, turn: number): Promise<void> => project.write(`${name}.go.${turn}`, '');

async function killWorker(): Promise<void> {
  await kill(project, 'worker');
  await until('another worker', () => partOf(project, 'worker'));
}

describe('a conversation', () => {
  test('goes on after SIGKILL of the worker in a turn and while the user is simulated, and repeats no turn', async () => {
    server.script('player', { say: 'And eggs?' }, 'silence', { say: 'And salt?' });
    await project.write('killed.scenario.yaml', file('killed'));
    const command = start('killed');
    await untilTurns('killed', 1);
    await killWorker();
    await letGo('killed', 1);
    await untilTurns('killed', 2);
    await letGo('killed', 2);
    // The request for the third message is not answered before its worker is dead.
    await until('the second request', () => (server.askedOf('player').length === 2 ? true : null));
    await killWorker();
    await untilTurns('killed', 3);
    await killWorker();
    await letGo('killed', 3);
    const { exitCode, stdout } = await command;
    expect(exitCode).toBe(0);
    expect(linesIn(project, 'killed.turns')).toHaveLength(3);
    expect(server.askedOf('player')).toHaveLength(3);
    const { run } = await openRun(documentOf(stdout));
    expect(run.conversation).toEqual({
      turns: [
        { number: 1, user: 'I need a list.', agent: 'reply 1' },
        { number: 2, user: 'And eggs?', agent: 'reply 2' },
        { number: 3, user: 'And salt?', agent: 'reply 3' },
      ],
      ended: [{ step: 0, turn: 3, reason: 'max_turns_reached' }],
    });
    expect(run.starts).toBe(3);
    expect((await project.resultLines()).filter(({ id }) => id === run.run_id)).toHaveLength(1);
  });

  test('that is cancelled ends its agent, and has one result', async () => {
    server.script('player', { say: 'And eggs?' });
    await project.write('cancelled.scenario.yaml', file('cancelled'));
    const command = start('cancelled');
    await untilTurns('cancelled', 1);
    await letGo('cancelled', 1);
    await untilTurns('cancelled', 2);
    expect(processesWith('/cancelled.go.')).not.toEqual([]);
    expect((await project.cli(['cancel', 'cancelled'])).exitCode).toBe(0);
    const { exitCode, stdout } = await command;
    const document = documentOf(stdout);
    expect([exitCode, document.cells[0]?.outcome]).toEqual([130, 'cancelled']);
    expect(processesWith('/cancelled.go.')).toEqual([]);
    expect(linesIn(project, 'cancelled.turns')).toHaveLength(2);
    const { run } = await openRun(document);
    expect(run.conversation?.turns.map(({ agent }) => agent)).toEqual(['reply 1', null]);
    const left = readdirSync(stateOfRun(stateOf(project), run.run_id));
    expect(left).not.toContain('workspace');
  });

  test('with an agent of a module keeps its state when everything is killed in a turn, which is done again', async () => {
    const counter = `
import { appendFileSync, existsSync } from 'node:fs';
const folder = ${JSON.stringify(project.folder)};
export const createAgent = ({ state }) => ({
  async respond(input) {
    const turns = (state?.turns ?? 0) + 1;
    appendFileSync(folder + '/counter.turns', turns + '\\n');
    while (!existsSync(folder + '/counter.go.' + turns)) await new Promise((resolve) => setTimeout(resolve, 50));
    return { text: 'reply ' + turns, state: { turns } };
  },
});
`;
    await project.write('counter.mjs', counter);
    server.script('player', { say: 'And eggs?' });
    await project.write('counter.scenario.yaml', file('counter'));
    const command = start('counter');
    await untilTurns('counter', 1);
    await letGo('counter', 1);
    await untilTurns('counter', 2);
    await kill(project, 'worker');
    // Also the agent, as in a power loss: only what is on the disk remains.
    killAll(join(stateOf(project), 'work'));
    await until('another worker', () => partOf(project, 'worker'));
    await untilTurns('counter', 3);
    for (const turn of [2, 3]) await letGo('counter', turn);
    const { exitCode, stdout } = await command;
    const { run } = await openRun(documentOf(stdout));
    expect(linesIn(project, 'counter.turns')).toEqual(['1', '2', '2', '3']);
    expect(run.conversation?.turns.map(({ agent }) => agent)).toEqual(['reply 1', 'reply 2', 'reply 3']);
    expect(exitCode).toBe(0);
  });
});
