import { expect, it } from 'vitest';
import { knownAgents } from '../../../src/agents/known-agents.js';
import { CAUSES, expectedOf } from '../causes.js';
import { CLI_NAMES, provideCli } from '../clis.js';
import { endOf } from './end-of.js';
import { MODELS } from './models.js';

it.each(Object.entries(CAUSES))('the real agents end as expected by the cause %s', async (causeName, cause) => {
  const ends = await Promise.all(
    CLI_NAMES.map(async (name) => {
      const command = await provideCli(name, console.log);
      const agent = knownAgents({ [name]: { command, args: [], models: [], env: {} } }).get(name);
      if (agent === undefined) throw new Error(`there is no agent ${name}`);
      const expected = expectedOf(cause, name);
      const { classified } = await endOf({ agent, model: MODELS[name], causeName, cause, expected });
      const { ending, again, message } = classified;
      return { agent: name, end: [ending, again?.why ?? null] as const, message };
    }),
  );
  for (const { agent, end, message } of ends)
    console.log(`${causeName.padEnd(12)} ${agent.padEnd(11)} ${end.join(' ').padEnd(16)} ${message}`);
  const expected = CLI_NAMES.map((agent) => [agent, ...expectedOf(cause, agent)]);
  expect(ends.map(({ agent, end }) => [agent, ...end])).toEqual(expected);
});
