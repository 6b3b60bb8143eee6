import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { parse } from 'yaml';
import { z } from 'zod';
import { REPOSITORY } from '../commands/project.js';

const COMPOSE_FILE = join(REPOSITORY, 'docker-compose.yml');
export const LOGIN_FILE = join(REPOSITORY, 'image/login.yml');

const Environment = z.record(z.string(), z.string().nullable());

/** A service as the loader of `docker compose` prints it: with variables replaced and short forms expanded. */
const Service = z.object({
  image: z.string(),
  build: z.object({ context: z.string(), dockerfile: z.string() }).optional(),
  entrypoint: z.array(z.string()).nullish(),
  /** Compose divides a text into words. */
  command: z.union([z.array(z.string()), z.string().transform((text) => text.split(/\s+/))]).nullish(),
  environment: Environment.default({}),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  restart: z.string(),
  networks: z.record(z.string(), z.unknown()),
  ports: z.array(z.object({ host_ip: z.string().optional(), published: z.string(), target: z.number() })).default([]),
  volumes: z.array(z.object({ type: z.string(), source: z.string().optional(), target: z.string() })).default([]),
  configs: z.array(z.object({ source: z.string(), target: z.string() })).default([]),
  user: z.string().optional(),
  mem_limit: z.string().optional(),
  pids_limit: z.number().optional(),
  cap_drop: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).default([]),
});
export type Service = z.infer<typeof Service>;

const SERVICES = ['postgresql', 'schema', 'temporal', 'namespace', 'ui', 'worker', 'cli'] as const;
export type ServiceName = (typeof SERVICES)[number];

const ComposeModel = z.object({
  name: z.string(),
  services: z.strictObject(
    Object.fromEntries(SERVICES.map((name) => [name, Service])) as Record<ServiceName, typeof Service>,
  ),
  networks: z.record(z.string(), z.object({ internal: z.boolean().optional() })),
  volumes: z.record(z.string(), z.unknown()),
  configs: z.record(z.string(), z.object({ content: z.string() })),
});
export type ComposeModel = z.infer<typeof ComposeModel>;

const load = async (loader: string, flags: string[] = [], more: string[] = []): Promise<unknown> =>
  JSON.parse((await execa(loader, [...flags, '-format', 'json', COMPOSE_FILE, ...more])).stdout);

/**
 * Loads the file with the loader of `docker compose`, which first checks it against the schema of Compose files. All
 * variables have their defaults, since the loader's program reads no environment.
 */
export const loadCompose = async (loader: string): Promise<ComposeModel> => ComposeModel.parse(await load(loader));

const AsWritten = z.object({
  services: z.record(
    z.string(),
    z.object({
      environment: Environment.default({}),
      ports: z.array(z.string()).default([]),
      network_mode: z.string().optional(),
      command: z.string().nullish().catch(null),
    }),
  ),
});

/** Loads the file, and others on top of it, with variables left as they are written. */
export const loadAsWritten = async (loader: string, ...more: string[]): Promise<z.infer<typeof AsWritten>> =>
  AsWritten.parse(await load(loader, ['-no-interpolation'], more));

/** The tag of an image that the file names. Read without the loader, for the build of the programs for the tests. */
export function imageTag(image: string): string {
  const { services } = parse(readFileSync(COMPOSE_FILE, 'utf8'), { merge: true }) as {
    services: Record<string, { image: string }>;
  };
  const found = Object.values(services).find((service) => service.image.startsWith(`${image}:`));
  if (found === undefined) throw new Error(`docker-compose.yml names no ${image}`);
  return found.image.slice(image.length + 1);
}

/** The program and arguments of a job or service whose image has no other entrypoint. */
export const commandOf = ({ entrypoint, command }: Service): string[] => [...(entrypoint ?? []), ...(command ?? [])];
