import { fillVariables, type Loaded, loadModule } from '../load-module.js';
import { CannotSetUp } from '../events.js';
import type { RuntimePlugin } from '../runtime.js';
import type { Turn } from '../turn-state.js';
import type { Character, Plugin } from './core.js';

/** Fields of which a plugin has at least one. */
const PARTS = [
  ...['description', 'init', 'config', 'actions', 'services', 'providers', 'evaluators', 'models'],
  ...['events', 'routes', 'adapter'],
];

/** Loads the plugins of the scenario and of its character, in this order. @throws CannotSetUp */
export async function loadPlugins({ request, variables }: Turn, character: Character): Promise<Plugin[]> {
  const { setup, folder } = request;
  const written = setup?.plugins ?? [];
  const names = new Set(written.map(({ name }) => name));
  const ofCharacter = (character.plugins ?? [])
    .filter((name) => !names.has(name))
    .map((name): RuntimePlugin => ({ name, config: {}, enabled: true }));
  const plugins: Plugin[] = [];
  for (const { name, config } of [...written, ...ofCharacter].filter(({ enabled }) => enabled)) {
    const plugin = pluginIn(await loadModule(folder, name));
    if (plugin === null)
      throw new CannotSetUp(`${name} exports no plugin: an object with a name and actions, for example`);
    plugins.push({
      ...plugin,
      config: { ...plugin.config, ...(fillVariables(config, variables) as Record<string, unknown>) },
    });
  }
  return plugins;
}

/** The plugin that a module exports: as default, or under any name. */
function pluginIn(loaded: Loaded): Plugin | null {
  const ofDefault = loaded['default'];
  const candidates = [
    ofDefault,
    // A CommonJS module that was compiled from an ES module.
    ...(typeof ofDefault === 'object' && ofDefault !== null ? (Object.values(ofDefault) as unknown[]) : []),
    ...Object.values(loaded),
  ];
  return candidates.find(isPlugin) ?? null;
}

const isPlugin = (value: unknown): value is Plugin =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Partial<Plugin>).name === 'string' &&
  PARTS.some((part) => part in value);
