import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadCharacter } from '../../src/planning/find-runtime.js';
import type { Scenario } from '../../src/scenario/scenario.js';
import { newFolder } from '../platform/temporary.js';

async function loaded(json: string) {
  const folder = await newFolder();
  await writeFile(join(folder, 'ada.json'), json);
  const runtime = { character: './ada.json', plugins: [] };
  const scenario = { runtime, agents: [{ agent: 'eliza', models: [] }] } as unknown as Scenario;
  return loadCharacter(join(folder, 's.scenario.yaml'), scenario, (path, message) => ({
    ...{ file: 's.scenario.yaml', line: 1, column: 1, path: path.join('.') },
    message,
  }));
}

test('a character in a JSON file names the model of the cell', async () => {
  const { scenario, problems } = await loaded(
    '{"name": "Ada", "llm": {"model": "gpt-5.1", "temperature": 0}}',
  );
  expect(problems).toEqual([]);
  expect(scenario.agents).toEqual([{ agent: 'eliza', models: ['openai/gpt-5.1'] }]);
});

test('a character in a JSON file is checked like one in the scenario file, at its place in the JSON file', async () => {
  const { problems } = await loaded('{\n\t"name": "Ada",\n\t"llm": {"model": "gpt-5.1", "temprature": 1}\n}');
  expect(problems).toMatchObject([
    {
      ...{ file: expect.stringMatching(/[^.]\/ada\.json$/) as string, line: 3, path: 'llm.temprature' },
      message: "unknown key 'temprature'; did you mean 'temperature'?",
    },
  ]);
});
