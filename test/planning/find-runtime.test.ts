import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findRuntime, loadCharacter, settingsReadIn } from '../../src/planning/find-runtime.js';
import type { Scenario } from '../../src/scenario/scenario.js';
import { newFolder } from '../host/temporary.js';

test.each([
  ['runtime.getSetting(\'OPENAI_API_KEY\') ?? runtime.getSetting( "B" )', ['OPENAI_API_KEY', 'B']],
  ['getSetting(`A`); getSetting(`A`); getSetting(name); getSetting("A-B")', ['A']],
  ["process.env.HOME_PAGE, process.env['X_Y'], process.env[name]", ['HOME_PAGE', 'X_Y']],
  ['budgetSetting("A"); env.B', []],
])('%s reads %j', (text, names) => {
  expect(settingsReadIn(text)).toEqual(names);
});

test('the settings of a runtime are those that its packages declare, and its own files read', async () => {
  const folder = await newFolder();
  const write = async (path: string, content: string | object): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  };
  await write('node_modules/@elizaos/core/package.json', { version: '1.7.2' });
  const parameters = { SHOP_API_KEY: { type: 'string', required: true }, SHOP_URL: {} };
  await write('node_modules/shop/package.json', {
    version: '1.0.0',
    agentConfig: { pluginParameters: parameters },
  });
  await write('node_modules/off/package.json', {
    version: '1.0.0',
    agentConfig: { pluginParameters: { OFF: {} } },
  });
  await write('node_modules/odd/package.json', { version: '1.0.0', agentConfig: [] });
  await write('own.ts', "export default { name: 'own', init: (_, runtime) => runtime.getSetting('OWN_KEY') };");
  const plugin = (name: string, enabled = true) => ({ name, config: {}, enabled });
  await write('node_modules/told/package.json', {
    version: '1.0.0',
    agentConfig: { pluginParameters: { TOLD_KEY: {} } },
  });
  const character = { name: 'Ada', plugins: ['told', 'off', 'gone', 7] };
  const plugins = [plugin('shop'), plugin('./own.ts'), plugin('odd'), plugin('off', false)];
  const { settings, problems } = findRuntime(folder, {
    runtime: { character, plugins },
  } as unknown as Scenario);
  expect(settings).toEqual(['SHOP_API_KEY', 'SHOP_URL', 'OWN_KEY', 'TOLD_KEY']);
  expect(problems).toEqual([
    {
      path: ['runtime', 'character', 'plugins', 2],
      message: expect.stringContaining('the plugin gone was not found') as string,
    },
  ]);
});

async function loaded(json: string) {
  const folder = await newFolder();
  await writeFile(join(folder, 'ada.json'), json);
  const runtime = { character: './ada.json', plugins: [] };
  const scenario = { runtime, agents: [{ agent: 'eliza', models: [] }] } as unknown as Scenario;
  return loadCharacter(join(folder, 's.scenario.yaml'), scenario, (path, message) => ({
    file: 's.scenario.yaml',
    line: 1,
    column: 1,
    path: path.join('.'),
    message,
  }));
}

test('a character in a JSON file names the model of the cell', async () => {
  const { scenario, problems } = await loaded('{"name": "Ada", "llm": {"model": "gpt-5.1", "temperature": 0}}');
  expect(problems).toEqual([]);
  expect(scenario.agents).toEqual([{ agent: 'eliza', models: ['openai/gpt-5.1'] }]);
});

test('a character in a JSON file is checked like one in the scenario file, at its place in the JSON file', async () => {
  const { problems } = await loaded('{\n\t"name": "Ada",\n\t"llm": {"model": "gpt-5.1", "temprature": 1}\n}');
  expect(problems).toMatchObject([
    {
      file: expect.stringMatching(/[^.]\/ada\.json$/) as string,
      line: 3,
      path: 'llm.temprature',
      message: "unknown key 'temprature'; did you mean 'temperature'?",
    },
  ]);
});
