import { z } from 'zod';
import { type Json, variableNames } from '#lib';

/** A map of JSON values. */
export const JsonMap = z.record(z.string(), z.json());

/** The contents of an ElizaOS runtime's database before the first message. Times are in ms since the epoch. */
export const RuntimeDatabase = z.object({
  entities: z.array(z.object({ id: z.string(), names: z.array(z.string()), metadata: JsonMap })),
  memories: z.array(
    z.object({
      entityId: z.string(),
      content: JsonMap,
      tableName: z.string(),
      createdAt: z.number().exactOptional(),
      metadata: JsonMap.exactOptional(),
      unique: z.boolean(),
    }),
  ),
  relationships: z.array(
    z.object({
      sourceEntityId: z.string(),
      targetEntityId: z.string(),
      tags: z.array(z.string()),
      metadata: JsonMap,
    }),
  ),
  cache: JsonMap,
});
export type RuntimeDatabase = z.infer<typeof RuntimeDatabase>;

export const RuntimePlugin = z.object({
  /** The name of a package, or a path relative to the scenario file. */
  name: z.string(),
  version: z.string().exactOptional(),
  config: JsonMap,
  enabled: z.boolean(),
});
export type RuntimePlugin = z.infer<typeof RuntimePlugin>;

/**
 * The parts of the agent of an ElizaOS scenario. `${NAME}` in settings, secrets and configs is replaced when a run
 * uses them.
 */
export const RuntimeSetup = z.object({
  /** The character, or the path of its module, relative to the scenario file; null for none. */
  character: z.union([z.string(), JsonMap]).nullable(),
  plugins: z.array(RuntimePlugin),
  database: RuntimeDatabase.exactOptional(),
});
export type RuntimeSetup = z.infer<typeof RuntimeSetup>;

/** The names of the variables to which a setup refers. */
export function variablesOfRuntime({ character, plugins }: RuntimeSetup): string[] {
  const { settings, secrets } = typeof character === 'object' && character !== null ? character : {};
  const enabled = plugins.filter((plugin) => plugin.enabled);
  return [...new Set([settings, secrets, ...enabled.map(({ config }) => config)].flatMap(namesIn))];
}

function namesIn(value: Json | undefined): string[] {
  if (typeof value === 'string') return variableNames(value);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(namesIn) : [];
}
