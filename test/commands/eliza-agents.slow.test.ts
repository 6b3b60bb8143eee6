import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeCore } from '../agent-host/fake-core.js';
import { PLUGIN } from '../agent-host/scripted-plugin.js';
import { createModelServer, type ModelServer } from './model-server.js';
import { cellsOf, createProject, documentOf, openRun, type TestProject } from './project.js';

const CONFIG = `
[agents.eliza]
free = true

[agents.keeper]
module = "agents/keeper.ts"
free = true

[agents.empty]
module = "agents/empty.ts"
free = true

[agents.gone]
module = "agents/gone.ts"
free = true

[providers.mine]
base_url = "\${MY_MODELS}"
`;

const KEEPER = `
class Stock {
  #count: number = 3;
  async count(item: string): Promise<number> { return this.#count; }
}
export const services = () => ({ stock: new Stock() });
export function createAgent({ services, model, history, state, character }: any) {
  return {
    async respond(input: string, { act }: any) {
      if (input.includes('explode')) await act('EXPLODE', null, () => { throw new Error('boom'); });
      const count: number = await act('CHECK_STOCK', { item: 'lamps' }, () => services.stock.count('lamps'));
      const turn: number = (state?.turn ?? 0) + 1;
      const opinion = model === null ? '' : await model('How many?', { system: 'Be brief.' });
      return { text: ['turn ' + turn, 'lamps ' + count, 'heard ' + history.length, opinion, character?.name].join(', '), thought: 'I count', state: { turn } };
    },
  };
}
`;

const file = (name: string, fields: string): Record<string, string> => ({
  [`${name}.scenario.yaml`]: `name: ${name}\n${fields}\n`,
});
const input = (text: string, ...values: string[]): string =>
  `  - input: ${text}\n    evaluations: [${(values.length === 0 ? [''] : values).map((value) => (value === '' ? '{type: file_exists, path: a.txt}' : `{type: string_contains, value: "${value}"}`)).join(', ')}]`;
const scripted = (config: object): string => `plugins: [{ name: ./plugin.mjs, config: ${JSON.stringify(config)} }]`;

const FILES = {
  ...file(
    'two-turns',
    `agent: keeper\nrun:\n${input('Count.', 'turn 1, lamps 3, heard 0')}\n${input('Again.', 'turn 2, lamps 3, heard 2')}`,
  ),
  ...file(
    'mocked',
    `agent: keeper\nsetup:\n  mocks:\n    - {service: stock, method: count, response: 9}\nrun:\n${input('Count.', 'lamps 9')}`,
  ),
  ...file('throws', `agent: keeper\nrun:\n${input('explode')}`),
  ...file(
    'models',
    `agent: keeper\ncharacter: {name: Ada, llm: {model: mine/one}}\nrun:\n${input('Count.', 'twelve, Ada')}`,
  ),
  ...file(
    'runtime',
    `character: {llm: {provider: mine, model: two, temperature: 0.2}}\n${scripted({ text: 'not mine' })}\nrun:\n${input('Hi.', 'from the provider')}`,
  ),
  ...file('from-json', `character: ada.json\n${scripted({ text: 'Hi.' })}\nrun:\n${input('Hi.', 'Hi.')}`),
  'ada.json': '{"name":"Ada","llm":{"model":"gpt-5.1"}}',
  ...file(
    'secret',
    `character: {settings: {GREETING: "\${GREETING}"}}\n${scripted({ text: 'Hello.' })}\nrun:\n${input('Hi.', 'Hello.')}`,
  ),
  ...file(
    'by-mock',
    `agent: mock\nsetup:\n  mocks:\n    - {service: stock, method: count, response: 9}\nrun:\n${input('Count.')}`,
  ),
  ...file('in-container', `agent: keeper\nenvironment: {type: docker, image: "debian:12"}\nrun:\n${input('Count.')}`),
  ...file('in-cloud', `environment: {type: e2b}\n${scripted({ text: 'Hi.' })}\nrun:\n${input('Hi.')}`),
  ...file('to-empty', `agent: empty\nrun:\n${input('Hi.')}`),
  ...file('to-gone', `agent: gone\nrun:\n${input('Hi.')}`),
  ...file(
    'matrix-base',
    `character: {llm: {model: mine/one}}\n${scripted({ text: 'Hi.' })}\nrun:\n${input('Hi.', 'one')}`,
  ),
  'models.yaml':
    'name: models\nbase_scenario: matrix-base.scenario.yaml\nmatrix:\n  - parameter: character.llm.model\n    values: [mine/one, mine/two]\n  - parameter: run[0].evaluations[0].value\n    values: [one, two]\n',
  'agents/keeper.ts': KEEPER,
  'agents/empty.ts': 'export const createAgents = () => ({});\n',
  ...file('settings', `${scripted({ text: 'Hi.' })}\nrun:\n${input('Hi.', 'Hi.')}`),
  'keys.env': 'FROM_FILE=value-from-the-file\n',
  'plugin.mjs': PLUGIN,
};

describe('agents in the agent host', () => {
  let project: TestProject;
  let server: ModelServer;
  beforeAll(async () => {
    server = await createModelServer();
    project = await createProject({ 'llm-tool-test-config.toml': CONFIG, ...fakeCore(), ...FILES });
    project.env['MY_MODELS'] = server.address;
  });
  afterAll(async () => {
    await project.remove();
    await server.close();
  });

  it('runs a module, which keeps its state, with a mocked service and with a model', async () => {
    server.script('one', { say: 'twelve' });
    const names = ['two-turns', 'mocked', 'throws', 'models'];
    const { document } = await project.run(names.map((name) => `${name}.scenario.yaml`));
    const open = (name: string) => openRun(cellsOf(document, name));
    expect((await open('two-turns')).run.outcome).toBe('pass');
    const mocked = await open('mocked');
    expect(mocked.run).toMatchObject({
      outcome: 'pass',
      mocks: { by_mock: [{ command: 'stock.count', calls: [{ args: ['lamps'], step: 'agent' }] }] },
    });
    const throws = await open('throws');
    expect(throws.run).toMatchObject({
      outcome: 'fail',
      agent: { ending: 'gave_up', message: expect.stringContaining('boom') as string },
    });
    expect(await throws.text('artifacts/events.jsonl')).toContain('"name":"EXPLODE"');
    const models = await open('models');
    expect(models.run).toMatchObject({ outcome: 'pass', agent: { token_usage: { input: 100, output: 20 } } });
    expect(
      server
        .askedOf('one')
        .map(({ body }) => body)
        .join(),
    ).toContain('Be brief.');
    for (const { run } of [mocked, models]) expect(run.warnings.join()).toContain('this result will not be reused');
  });

  it('lets the model of the cell answer for a runtime, and keeps the values of variables secret', async () => {
    server.script('two', {
      say: '<response><thought>I think</thought><actions>REPLY</actions><text>from the provider</text></response>',
    });
    const { document } = await project.run(['runtime.scenario.yaml', 'secret.scenario.yaml'], {
      GREETING: 'good-morning-to-you',
    });
    const runtime = await openRun(cellsOf(document, 'runtime'));
    expect(runtime.run).toMatchObject({ outcome: 'pass', agent: { token_usage: { input: 100 } } });
    expect(server.askedOf('two').map(({ body }) => body)).toEqual([
      expect.stringContaining('"temperature":0.2') as string,
    ]);
    const secret = await openRun(cellsOf(document, 'secret'));
    expect(secret.run.outcome).toBe('pass');
    const raw = await secret.text('artifacts/transcript.raw.txt');
    expect(raw).toContain('setting [REDACTED]');
    expect(raw).not.toContain('good-morning-to-you');
  });

  it('gives plugins the variables of --env-file, and those of the shell that they name', async () => {
    const shell = { SHOP_API_KEY: 'key-of-the-shop', FROM_FILE: 'not-from-the-file' };
    const printed = async (...args: string[]) => {
      const { document, stderr } = await project.run(['settings.scenario.yaml', ...args], shell);
      expect(stderr).not.toContain('not set here');
      return (await openRun(document)).text('artifacts/transcript.raw.txt');
    };
    const raw = await printed('--env-file', 'keys.env');
    expect(raw).toContain('shop [REDACTED] [REDACTED] null');
    expect(raw).toContain('from file [REDACTED]');
    const without = await printed();
    expect(without).toContain('shop [REDACTED] [REDACTED] null');
    expect(without).toContain('from file null');
  });

  const cellsOfDryRun = async (...args: string[]): Promise<string[]> => {
    const { stdout, stderr } = await project.cli([...args, '--dry-run', '--json'], {
      GREETING: 'hello',
      OPENAI_API_KEY: 'none',
    });
    const { cells = [] } = JSON.parse(stdout) as { cells?: { agent: string; model: string }[] };
    expect(cells, stderr).not.toEqual([]);
    return cells.map(({ agent, model }) => `${agent} ${model}`);
  };

  it('takes the agent from --agents, else from the file, else eliza for a file that describes a runtime', async () => {
    expect(await cellsOfDryRun('run', 'mocked.scenario.yaml')).toEqual(['keeper default']);
    expect(await cellsOfDryRun('run', 'secret.scenario.yaml')).toEqual(['eliza default']);
    expect(await cellsOfDryRun('run', 'secret.scenario.yaml', '--agents', 'keeper')).toEqual(['keeper default']);
  });

  it('takes the model from --models, else from the character', async () => {
    expect(await cellsOfDryRun('run', 'models.scenario.yaml')).toEqual(['keeper mine/one']);
    expect(await cellsOfDryRun('run', 'from-json.scenario.yaml')).toEqual(['eliza openai/gpt-5.1']);
    expect(await cellsOfDryRun('run', 'models.scenario.yaml', '--models', 'mine/two')).toEqual(['keeper mine/two']);
  });

  it('runs each combination of a matrix with its own model', async () => {
    for (const model of ['one', 'two'])
      server.script(model, {
        say: `<response><thought>I think</thought><actions>REPLY</actions><text>I am ${model}</text></response>`,
      });
    const { stdout, stderr } = await project.cli(['scenario', 'matrix', 'models.yaml', '--json']);
    const { sweep } = documentOf(stdout);
    const lines = (await project.resultLines()).filter((line) => line.sweep === sweep);
    expect(lines.map(({ variant, model, outcome }) => [variant.slice(0, 9), model, outcome]).sort(), stderr).toEqual([
      ['combo-001', 'mine/one', 'pass'],
      ['combo-002', 'mine/one', 'fail'],
      ['combo-003', 'mine/two', 'fail'],
      ['combo-004', 'mine/two', 'pass'],
    ]);
  });

  it.each([
    ['by-mock', /by-mock\.scenario\.yaml:5:\d+ .*the agent mock has no services/],
    ['in-container', /in-container\.scenario\.yaml:3:\d+ .*keeper cannot run in environment\.type docker; use local/],
    ['in-cloud', /in-cloud\.scenario\.yaml:2:\d+ .*eliza cannot run in environment\.type e2b; use local/],
    ['to-empty', /llm-tool-test-config\.toml:10:\d+ .*empty\.ts does not export createAgent/],
    ['to-gone', /llm-tool-test-config\.toml:14:\d+ .*gone\.ts.* was not found/],
  ])('starts nothing for %s', async (name, message) => {
    const { exitCode, stderr } = await project.cli(['run', `${name}.scenario.yaml`]);
    expect(stderr).toMatch(message);
    expect(exitCode).toBe(2);
  });

  it.each([
    ['in-container', /in-container\.scenario\.yaml:3:\d+ .*keeper cannot run in environment\.type docker; use local/],
    ['in-cloud', /in-cloud\.scenario\.yaml:2:\d+ .*eliza cannot run in environment\.type e2b; use local/],
  ])('says of %s that it is not valid', async (name, message) => {
    const { exitCode, stderr } = await project.cli(['validate', `${name}.scenario.yaml`]);
    expect(stderr).toMatch(message);
    expect(exitCode).toBe(2);
  });
});

describe('a runtime that cannot be started', () => {
  it.each([
    [
      'is not installed',
      {},
      'plugins: [./plugin.mjs]',
      /:2:\d+ plugins: .*needs the package @elizaos\/core.*npm install @elizaos\/core@1/,
    ],
    [
      'is too old',
      fakeCore('1.5.15'),
      'plugins: [./plugin.mjs]',
      /needs @elizaos\/core >=1\.6\.5 <2, but 1\.5\.15 is installed/,
    ],
    ['is too new', fakeCore('2.0.0-alpha.537'), 'plugins: [./plugin.mjs]', /but 2\.0\.0-alpha\.537 is installed/],
    [
      'lacks a plugin',
      fakeCore(),
      'plugins:\n  - ./plugin.mjs\n  - plugin-of-nobody',
      /:4:\d+ plugins\[1\]: the plugin plugin-of-nobody was not found.*npm install plugin-of-nobody/,
    ],
    ['lacks a file', fakeCore(), 'plugins: [./gone.mjs]', /:2:\d+ plugins\[0\]: '\.\/gone\.mjs' was not found/],
    [
      'has another version of a plugin',
      fakeCore(),
      "plugins: [{ name: '@elizaos/core', version: ^1.8.0 }]",
      /plugins\[0\]\.version: expected @elizaos\/core \^1\.8\.0, but 1\.7\.2 is installed/,
    ],
    [
      'lacks its character',
      fakeCore(),
      'character: ./gone.json',
      /:2:\d+ character: the character '\.\/gone\.json' cannot be read/,
    ],
  ])('is found before anything is started: it %s', async (_what, core, fields, message) => {
    const project = await createProject({
      'plugin.mjs': PLUGIN,
      ...core,
      ...file('stock', `${fields}\nrun: { input: Hi. }\nevaluations: [{ type: file_exists, path: a }]`),
    });
    try {
      for (const verb of ['run', 'validate']) {
        const { exitCode, stderr } = await project.cli([verb, 'stock.scenario.yaml']);
        expect(stderr.replaceAll('\n', ' ')).toMatch(message);
        expect(exitCode).toBe(2);
      }
    } finally {
      await project.remove();
    }
  });
});
