import { JsonMap, type RuntimeDatabase, type RuntimeSetup } from '#agent-host';
import { always, nonBlank } from '#input';
import { isMap, parseModelName } from '#lib';
import { z } from 'zod';

/** Providers of models whose names are known by their beginning. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^(gpt-|chatgpt-|o\d)/, 'openai'],
  [/^claude-/, 'anthropic'],
  [/^gemini-/, 'google'],
];

type CharacterModel = { model: string; message: null } | { model: null; message: string };

/** The model of a cell, `provider/model`, as a character names it; or what is wrong with it. */
function characterModel(llm: { model: string; provider?: string | undefined }): CharacterModel {
  const { model, provider = FAMILIES.find(([names]) => names.test(model))?.[1] } = llm;
  const name = llm.provider === undefined && model.includes('/') ? model : `${provider ?? ''}/${model}`;
  if (parseModelName(name).ok) return { model: name, message: null };
  return {
    model: null,
    message: `the provider of '${model}' is unknown; write provider/model, like openai/gpt-5.1, or add llm.provider`,
  };
}

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
      // The schema reports what is missing.
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
  version: nonBlank('a range of versions').exactOptional().describe('The version that must be installed, like ^1.6.0'),
  config: JsonMap.default({}).describe('Its settings; ${NAME} is that variable of the shell'),
  enabled: z.boolean().default(true).describe('false: it is not loaded'),
});

export const pluginsField = z.array(z.union([nonBlank('the name of a package, or the path of a file'), Plugin]));

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

const listOf = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isMap) : []);

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

interface RuntimeFields {
  character?: z.infer<typeof characterField>;
  plugins?: z.infer<typeof pluginsField>;
  setup: { database?: object };
}

/** True if a file describes a real ElizaOS runtime, which is then its agent if it names none. */
export const hasRuntime = ({ character, plugins }: Pick<RuntimeFields, 'character' | 'plugins'>): boolean =>
  character !== undefined || plugins !== undefined;

/** True if `setup.database` is the database of the runtime. */
export const isForRuntime = (database: RuntimeFields['setup']['database']): database is RuntimeDatabaseField =>
  database !== undefined && 'memories' in database;

/** The setup of the runtime of a file; null if the file does not describe one. */
export function toRuntime(file: RuntimeFields): RuntimeSetup | null {
  const { character, plugins = [], setup } = file;
  const database = isForRuntime(setup.database) ? setup.database : undefined;
  if (!hasRuntime(file) && database === undefined) return null;
  return {
    character: character ?? null,
    plugins: plugins.map((plugin) =>
      typeof plugin === 'string' ? { name: plugin, config: {}, enabled: true } : plugin,
    ),
    ...(database === undefined ? {} : { database: toDatabase(database) }),
  };
}

/** The models of the cells that a character names. */
export function modelsOf(character: RuntimeSetup['character']): string[] {
  const llm = typeof character === 'object' && character !== null ? character['llm'] : undefined;
  if (typeof llm !== 'object' || llm === null || !('model' in llm) || typeof llm['model'] !== 'string') return [];
  const { model, provider } = llm;
  const named = characterModel({ model, ...(typeof provider === 'string' ? { provider } : {}) });
  return named.model === null ? [] : [named.model];
}

const toDatabase = ({ memories, ...others }: RuntimeDatabaseField): RuntimeDatabase => ({
  ...others,
  memories: memories.map(({ text, content, createdAt, ...memory }) => ({
    ...memory,
    content: content ?? { text: text ?? '' },
    ...(createdAt === undefined
      ? {}
      : { createdAt: typeof createdAt === 'number' ? createdAt : Date.parse(createdAt) }),
  })),
});
