import { z } from 'zod';
import { JsonMap } from '#agent-host';
import { always, nonBlank } from '#input';
import { isMap } from '#lib';
import { characterModel } from './character-model.js';

/* The fields that describe a real ElizaOS runtime. */

/** The character of a runtime, in a scenario file or a JSON file. */
export const Character = z
  .object({
    name: z.string().exactOptional().describe('Its name'),
    llm: z
      .strictObject({
        model: nonBlank('the name of a model').describe('The model of the cell, unless --models is given'),
        provider: nonBlank('the name of a provider').exactOptional().describe('The provider of the model'),
        temperature: z
          .number()
          .min(0)
          .max(2)
          .exactOptional()
          .describe('Sampling temperature of each answer, for models that accept one'),
      })
      .exactOptional()
      .describe('The model that answers in place of those of the plugins'),
    settings: JsonMap.exactOptional().describe('Settings for plugins; ${NAME} is that variable of the shell'),
    secrets: JsonMap.exactOptional().describe('The same, for keys'),
  })
  .catchall(z.json())
  .check(
    z.superRefine<object>((character: unknown, context) => {
      const llm = isMap(character) ? character['llm'] : undefined;
      // the schema reports what is missing
      if (!isMap(llm) || typeof llm['model'] !== 'string') return;
      const { model, provider } = llm;
      const { message } = characterModel({
        model,
        provider: typeof provider === 'string' ? provider : undefined,
      });
      if (message !== null) context.addIssue({ code: 'custom', path: ['llm', 'model'], message });
    }, always),
  );

export const characterField = z.union([nonBlank('the path of a character'), Character]);

const Plugin = z.strictObject({
  name: nonBlank('the name of a package, or the path of a file').describe(
    'A package, or the path of a file relative to the scenario file',
  ),
  version: nonBlank('a range of versions')
    .exactOptional()
    .describe('The version that must be installed, like ^1.6.0'),
  config: JsonMap.default({}).describe('Its settings; ${NAME} is that variable of the shell'),
  enabled: z.boolean().default(true).describe('false: it is not loaded'),
});

export const pluginsField = z.array(
  z.union([nonBlank('the name of a package, or the path of a file'), Plugin]),
);

const WHO = 'user, agent, or the id of an entity';

const Entity = z.strictObject({
  id: nonBlank('an id').describe('A UUID, or a word that stands for one; user is who sends the input'),
  names: z.array(z.string()).min(1).describe('Its names'),
  metadata: JsonMap.default({}).describe('Its metadata'),
});

const Memory = z.strictObject({
  entityId: nonBlank(WHO).default('user').describe(`Whose memory it is: ${WHO}`),
  text: nonBlank('the text of the memory').exactOptional().describe('Short for content.text'),
  content: JsonMap.exactOptional().describe('Its content, as ElizaOS stores it'),
  tableName: nonBlank('the name of a table').default('messages').describe('Its table'),
  createdAt: z
    .union([z.number(), z.iso.datetime({ offset: true })])
    .exactOptional()
    .describe('A time (ISO 8601, or ms since 1970); by default in this order, just before the input'),
  metadata: JsonMap.exactOptional().describe('Its metadata'),
  unique: z.boolean().default(false).describe('Whether ElizaOS may leave out similar ones'),
});

const Relationship = z.strictObject({
  sourceEntityId: nonBlank(WHO).describe(`From whom: ${WHO}`),
  targetEntityId: nonBlank(WHO).describe(`To whom: ${WHO}`),
  tags: z.array(z.string()).default([]).describe('Its tags'),
  metadata: JsonMap.default({}).describe('Its metadata'),
});

const listOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isMap) : [];

/** The database of the runtime before the first input. */
export const RuntimeDatabaseField = z
  .strictObject({
    entities: z.array(Entity).default([]).describe('People and others that the agent knows'),
    memories: z.array(Memory).default([]).describe('What the agent remembers, the oldest first'),
    relationships: z.array(Relationship).default([]).describe('Who knows whom'),
    cache: JsonMap.default({}).describe('Values by key'),
  })
  .check(
    z.superRefine<object>((database: unknown, context) => {
      if (!isMap(database)) return; // the schema reports it
      const report = (path: (string | number)[], message: string): void => {
        context.addIssue({ code: 'custom', path, message });
      };
      const known = ['user', 'agent', ...listOf(database['entities']).map(({ id }) => id)];
      const unknownIn = (list: string, keys: string[]): void => {
        for (const [index, row] of listOf(database[list]).entries())
          for (const key of keys)
            if (typeof row[key] === 'string' && !known.includes(row[key]))
              report([list, index, key], `unknown entity '${row[key]}'; expected one of ${known.join(', ')}`);
      };
      unknownIn('memories', ['entityId']);
      unknownIn('relationships', ['sourceEntityId', 'targetEntityId']);
      for (const [index, { text, content }] of listOf(database['memories']).entries())
        if ((text === undefined) === (content === undefined))
          report(
            ['memories', index],
            `expected either text or content; got ${text === undefined ? 'neither' : 'both'}`,
          );
    }, always),
  );
export type RuntimeDatabaseField = z.infer<typeof RuntimeDatabaseField>;
