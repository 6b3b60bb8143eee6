import type { RuntimeDatabase, RuntimeSetup } from '#agent-host';
import { characterModel } from './character-model.js';
import type { RuntimeDatabaseField } from './runtime-fields.js';
import type { ElizaFile } from './schema.js';

type RuntimeFields = Pick<ElizaFile, 'character' | 'plugins' | 'setup'>;

/** Whether a file describes a real ElizaOS runtime, which is then its agent if it names none. */
export const hasRuntime = ({ character, plugins }: Pick<ElizaFile, 'character' | 'plugins'>): boolean =>
  character !== undefined || plugins !== undefined;

/** Whether `setup.database` is the database of the runtime. */
export const isForRuntime = (
  database: RuntimeFields['setup']['database'],
): database is RuntimeDatabaseField => database !== undefined && 'memories' in database;

/** What the runtime of a file consists of; null if the file does not describe one. */
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
  if (typeof llm !== 'object' || llm === null || !('model' in llm) || typeof llm['model'] !== 'string')
    return [];
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
