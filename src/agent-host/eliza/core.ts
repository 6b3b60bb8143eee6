import type { Json } from '#lib';

/* The parts of `@elizaos/core` that the host uses. The package is the user's, so its types are not there. */

export type Uuid = string;

export interface Content {
  text?: string;
  thought?: string;
  actions?: string[];
  simple?: boolean;
  [key: string]: unknown;
}

export interface Memory {
  id?: Uuid;
  entityId: Uuid;
  agentId?: Uuid;
  roomId: Uuid;
  worldId?: Uuid;
  content: Content;
  createdAt?: number;
  embedding?: number[];
  metadata?: unknown;
  unique?: boolean;
  similarity?: number;
}

export type Callback = (content: Content) => Promise<Memory[]>;

interface ServiceClass {
  serviceType: string;
}

export interface Plugin {
  name: string;
  config?: Record<string, unknown>;
  services?: ServiceClass[];
}

export interface Character {
  name: string;
  bio: string | string[];
  system?: string;
  plugins?: string[];
  settings?: Record<string, unknown>;
  [key: string]: unknown;
}

export interface Action {
  name: string;
  similes?: string[];
  handler?: unknown;
}

interface Handled {
  responseContent: Content | null;
  mode?: string;
}

interface ActionEvent {
  content?: {
    actions?: string[];
    actionId?: string;
    actionStatus?: string;
    actionResult?: { text?: string; error?: unknown; [key: string]: unknown } | null;
    text?: string;
  };
}

interface ModelEvent {
  tokens?: { prompt?: number; completion?: number };
}

export interface Runtime {
  agentId: Uuid;
  character: Character;
  actions: Action[];
  services: Map<string, object[]>;
  messageService: {
    handleMessage(runtime: Runtime, message: Memory, callback: Callback): Promise<Handled>;
  } | null;
  registerModel(
    type: string,
    handler: (runtime: Runtime, parameters: Record<string, unknown>) => Promise<unknown>,
    provider: string,
    priority: number,
  ): void;
  registerEvent(event: 'ACTION_STARTED' | 'ACTION_COMPLETED', handler: (event: ActionEvent) => Promise<void>): void;
  registerEvent(event: 'MODEL_USED', handler: (event: ModelEvent) => Promise<void>): void;
  getSetting(name: string, ...more: unknown[]): unknown;
  initialize(): Promise<void>;
  getServiceLoadPromise(type: string): Promise<unknown>;
  processActions(message: Memory, responses: Memory[], ...more: unknown[]): Promise<void>;
  useModel(type: string, parameters?: unknown, ...more: unknown[]): Promise<unknown>;
  ensureConnection(connection: Record<string, unknown>): Promise<void>;
  ensureParticipantInRoom(entityId: Uuid, roomId: Uuid): Promise<void>;
  createEntity(entity: Record<string, unknown>): Promise<boolean>;
  createMemory(memory: Memory, table: string, unique?: boolean): Promise<Uuid>;
  addEmbeddingToMemory(memory: Memory): Promise<Memory>;
  getModel(type: string): unknown;
  createRelationship(relationship: Record<string, unknown>): Promise<boolean>;
  setCache(key: string, value: Json): Promise<boolean>;
}

export interface Core {
  AgentRuntime: new (options: {
    character: Character;
    plugins: Plugin[];
    adapter: object;
    agentId: Uuid;
    settings: Record<string, string>;
  }) => Runtime;
  stringToUuid(text: string): Uuid;
}
