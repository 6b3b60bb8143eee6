import { z } from 'zod';
import { nonBlank, seconds, variableName } from '#input';

/*
 * The file `task.toml` of a task folder, as Harbor reads it. It is strict; `unknown-keys.ts` takes out what is unknown
 * before, since Harbor ignores that.
 */

const user = z.union([nonBlank('a user'), z.int().min(0).transform(String)]);
const texts = z.record(variableName, z.string());
const OLD_SIZE = /^(\d+(?:\.\d+)?)\s*([KMG])B?$/i;
const SHARE: Readonly<Record<string, number>> = { K: 1 / 1024, M: 1, G: 1024 };

/** A size like "2G", in MiB. */
const oldSize = z.string().transform((text, context) => {
  const [, number = '', unit = ''] = OLD_SIZE.exec(text.trim()) ?? [];
  if (number === '') context.addIssue({ code: 'custom', message: 'expected a size like "512M" or "2G"', input: text });
  return Math.ceil(Number(number) * (SHARE[unit.toUpperCase()] ?? 0));
});

const network = {
  network_mode: z.enum(['public', 'no-network', 'allowlist']).exactOptional(),
  allowed_hosts: z.array(z.string()).exactOptional(),
};

const HealthCheck = z.strictObject({
  command: nonBlank('a command'),
  interval_sec: seconds.default(5),
  timeout_sec: seconds.default(30),
  start_period_sec: z.number().min(0).default(0),
  start_interval_sec: seconds.default(5),
  retries: z.int().min(1).default(3),
});

const McpServer = z.strictObject({
  name: nonBlank('the name of the server'),
  transport: z.enum(['sse', 'streamable-http', 'http', 'stdio']).default('sse'),
  url: z.string().exactOptional(),
  command: nonBlank('a program').exactOptional(),
  args: z.array(z.string()).default([]),
  headers: texts.default({}),
});

const Environment = z.strictObject({
  build_timeout_sec: seconds.default(600),
  docker_image: nonBlank('the name of an image').exactOptional(),
  os: z
    .string()
    .transform((os) => os.toLowerCase())
    .pipe(z.enum(['linux', 'windows']))
    .default('linux'),
  cpus: z.number().positive().exactOptional(),
  memory_mb: z.int().positive().exactOptional(),
  storage_mb: z.int().positive().exactOptional(),
  memory: oldSize.exactOptional(),
  storage: oldSize.exactOptional(),
  gpus: z.int().min(0).exactOptional(),
  gpu_types: z.array(z.string()).exactOptional(),
  tpu: z.looseObject({}).exactOptional(),
  ...network,
  allow_internet: z.boolean().exactOptional(),
  env: texts.default({}),
  workdir: nonBlank('a path').exactOptional(),
  skills_dir: nonBlank('a path').exactOptional(),
  mcp_servers: z.array(McpServer).default([]),
  healthcheck: HealthCheck.exactOptional(),
});

const Agent = z.strictObject({ timeout_sec: seconds.exactOptional(), user: user.exactOptional(), ...network });

const Verifier = z.strictObject({
  timeout_sec: seconds.default(600),
  user: user.exactOptional(),
  env: texts.default({}),
  environment_mode: z.enum(['shared', 'separate']).exactOptional(),
  environment: z.looseObject({ ...network, allow_internet: z.boolean().exactOptional() }).exactOptional(),
  collect: z.array(z.looseObject({})).default([]),
  ...network,
});

const Artifact = z.union([z.string(), z.looseObject({ source: z.string() })]);

const Step = z.strictObject({
  name: z
    .string()
    .regex(
      /^(?!\.{1,2}$)[\w. -]+$/,
      'expected the name of a folder in steps/: letters, digits, blanks, ".", "_" and "-"',
    ),
  agent: Agent.prefault({}),
  verifier: Verifier.prefault({}),
  min_reward: z.union([z.number(), z.record(z.string(), z.number())]).exactOptional(),
  healthcheck: HealthCheck.exactOptional(),
  artifacts: z.array(Artifact).default([]),
});

export const TaskFile = z.strictObject({
  schema_version: z.string().exactOptional(),
  version: z.string().exactOptional(),
  source: z.string().exactOptional(),
  metadata: z.looseObject({}).exactOptional(),
  task: z
    .strictObject({
      name: nonBlank('the name of the task').exactOptional(),
      version: z.string().exactOptional(),
      description: z.string().default(''),
      authors: z.array(z.looseObject({})).exactOptional(),
      keywords: z.array(z.string()).default([]),
    })
    .prefault({}),
  agent: Agent.prefault({}),
  verifier: Verifier.prefault({}),
  solution: z.strictObject({ env: texts.default({}) }).prefault({}),
  environment: Environment.prefault({}),
  artifacts: z.array(Artifact).default([]),
  multi_step_reward_strategy: z.enum(['mean', 'final']).exactOptional(),
  steps: z.array(Step).default([]),
});
export type TaskFile = z.infer<typeof TaskFile>;
