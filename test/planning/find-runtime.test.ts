import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findRuntime, settingsReadIn } from '../../src/planning/find-runtime.js';
import type { Scenario } from '../../src/scenario/scenario.js';
import { newFolder } from '../platform/temporary.js';

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
  await write(
    'own.ts',
    "export default { name: 'own', init: (_, runtime) => runtime.getSetting('OWN_KEY') };",
  );
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
