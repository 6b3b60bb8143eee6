import type { Path } from '#input';
import { isMap } from '#lib';
import type { LookBeside } from '../reader.js';
import type { TaskFile } from './task-file.js';

/** Something that a task asks for and that runs do not have. */
export interface Refusal {
  path: Path;
  message: string;
}

type Rule = (file: TaskFile) => readonly (readonly [at: Path | false, message: string])[];

/** True if a phase wants a network other than that of the environment. */
const differs = ({ network_mode: phase }: { network_mode?: string }, of: string): boolean =>
  phase !== undefined && phase !== of;

type Networked = Pick<TaskFile['environment'], 'network_mode' | 'allow_internet'>;

/** The network of an environment, in new and old words. */
const networkIn = ({ network_mode, allow_internet }: Networked): string =>
  network_mode ?? (allow_internet === false ? 'no-network' : 'public');

/** The network of the agent's container. */
export const networkOf = ({ environment }: TaskFile): string => networkIn(environment);

/** True if the verifier has a container of its own. */
export const isVerifiedApart = ({ environment_mode: mode, environment }: TaskFile['verifier']): boolean =>
  (mode ?? (environment === undefined ? 'shared' : 'separate')) === 'separate';

/** The network of a verifier's own container. */
export const verifierNetworkOf = (file: TaskFile): string =>
  file.verifier.network_mode ?? networkIn(file.verifier.environment ?? file.environment);

/** The keys that the table of a verifier's own environment may have. The disk is not limited anywhere. */
const OF_VERIFIER = ['network_mode', 'allow_internet', 'storage_mb', 'storage', 'build_timeout_sec'];

/** The rules for a verifier: that of the task, or of a step. */
const ofVerifier = (
  { environment_mode: mode, environment, collect }: TaskFile['verifier'],
  above: Path,
): ReturnType<Rule> => [
  [
    mode === 'shared' && environment !== undefined && [...above, 'verifier', 'environment'],
    'a shared verifier has no environment of its own; remove the table',
  ],
  ...(mode === 'shared' ? [] : Object.keys(environment ?? {})).map(
    (key) =>
      [
        !OF_VERIFIER.includes(key) && [...above, 'verifier', 'environment', key],
        'only the network of a verifier of its own can differ; remove it, or put a Dockerfile into tests/',
      ] as const,
  ),
  [
    environment !== undefined &&
      networkIn(environment) === 'allowlist' && [...above, 'verifier', 'environment', 'network_mode'],
    'allowlist is not supported; use public or no-network',
  ],
  [
    above.length > 0 &&
      (mode === 'separate' || environment !== undefined) && [
        ...above,
        'verifier',
        mode === 'separate' ? 'environment_mode' : 'environment',
      ],
    'a verifier in a container of its own is not supported in steps; use "shared"',
  ],
  [collect.length > 0 && [...above, 'verifier', 'collect'], 'commands before the verifier are not supported'],
];

/** The path of an artifact in the container. */
export const sourceOf = (artifact: TaskFile['artifacts'][number]): string =>
  typeof artifact === 'string' ? artifact : artifact.source;

const RULES: readonly Rule[] = [
  ({ environment: { os, gpus = 0, tpu } }) => [
    [os === 'windows' && ['environment', 'os'], 'containers of Windows are not supported; expected "linux"'],
    [gpus > 0 && ['environment', 'gpus'], 'containers have no GPUs here'],
    [tpu !== undefined && ['environment', 'tpu'], 'containers have no TPUs here'],
  ],
  ({ environment: { memory, memory_mb, storage, storage_mb } }) => [
    [
      memory !== undefined && memory_mb !== undefined && memory !== memory_mb && ['environment', 'memory'],
      'another size than memory_mb; keep one',
    ],
    [
      storage !== undefined && storage_mb !== undefined && storage !== storage_mb && ['environment', 'storage'],
      'another size than storage_mb; keep one',
    ],
  ],
  (file) => {
    const of = networkOf(file);
    const other = `another network than that of the environment (${of}) is not supported; remove it`;
    return [
      [of === 'allowlist' && ['environment', 'network_mode'], 'allowlist is not supported; use public or no-network'],
      [differs(file.agent, of) && ['agent', 'network_mode'], other],
      [differs(file.verifier, of) && !isVerifiedApart(file.verifier) && ['verifier', 'network_mode'], other],
      [
        file.verifier.network_mode === 'allowlist' && ['verifier', 'network_mode'],
        'allowlist is not supported; use public or no-network',
      ],
    ];
  },
  ({ environment: { workdir = '/' } }) => [
    [
      (!workdir.startsWith('/') || workdir.split('/').includes('..')) && ['environment', 'workdir'],
      'expected an absolute path in the container',
    ],
  ],
  ({ environment: { mcp_servers: servers } }) =>
    servers.flatMap(({ name, transport, command, url }, at): ReturnType<Rule> => {
      const here: Path = ['environment', 'mcp_servers', at];
      const same = servers.findIndex((one) => one.name === name);
      return [
        [
          transport !== 'stdio' && [...here, 'transport'],
          'only MCP servers that are programs are supported; expected "stdio"',
        ],
        [
          transport === 'stdio' && command === undefined && [...here, 'name'],
          'missing: command, the program of the server',
        ],
        [
          transport === 'stdio' && url !== undefined && [...here, 'url'],
          'a server that is a program has no address; remove it',
        ],
        [same < at && [...here, 'name'], `the name of server ${same + 1}; names must differ`],
      ];
    }),
  ({ verifier }) => ofVerifier(verifier, []),
  (file) =>
    file.steps.flatMap(({ name, agent, verifier }, at) => {
      const of = networkOf(file);
      const other = `another network than that of the environment (${of}) is not supported; remove it`;
      const same = file.steps.findIndex((one) => one.name.toLowerCase() === name.toLowerCase());
      return [
        ...ofVerifier(verifier, ['steps', at]),
        [differs(agent, of) && ['steps', at, 'agent', 'network_mode'], other],
        [differs(verifier, of) && ['steps', at, 'verifier', 'network_mode'], other],
        [
          agent.user !== undefined && agent.user !== file.agent.user && ['steps', at, 'agent', 'user'],
          'another user than that of the task is not supported; name it in [agent]',
        ],
        [same < at && ['steps', at, 'name'], `the name of step ${same + 1}; names must differ, in more than case`],
      ];
    }),
  ({ steps, multi_step_reward_strategy: strategy }) => [
    [strategy !== undefined && steps.length === 0 && ['multi_step_reward_strategy'], 'only for tasks with [[steps]]'],
  ],
  ({ artifacts, verifier, steps }) => [
    [
      isVerifiedApart(verifier) &&
        steps.length > 0 && ['verifier', verifier.environment_mode === undefined ? 'environment' : 'environment_mode'],
      'a verifier in a container of its own is not supported in tasks of several steps; use "shared"',
    ],
    ...artifacts.flatMap((one, at): ReturnType<Rule> => [
      [
        isMap(one) &&
          !['main', undefined].includes(one['service'] as string | undefined) && ['artifacts', at, 'service'],
        'services besides main are not supported',
      ],
      [
        isMap(one) && one['exclude'] !== undefined && isVerifiedApart(verifier) && ['artifacts', at, 'exclude'],
        'a verifier in a container of its own is given whole artifacts; remove exclude',
      ],
      [
        (!sourceOf(one).startsWith('/') || sourceOf(one).split('/').includes('..')) &&
          isVerifiedApart(verifier) && ['artifacts', at],
        'expected an absolute path in the container',
      ],
    ]),
  ],
];

/** Everything in a task's file that is refused. */
export const refusalsIn = (file: TaskFile): Refusal[] =>
  RULES.flatMap((rule) => rule(file)).flatMap(([path, message]) => (path === false ? [] : [{ path, message }]));

/** Files of a task folder that are refused, or are missing: the path in the folder, and the message. */
export function fileProblems(file: TaskFile, look: LookBeside): { file: string; message: string }[] {
  const isThere = (path: string): boolean => look(path) !== null;
  const image = file.environment.docker_image;
  const problem = (is: boolean, path: string, message: string) => (is ? [{ file: path, message }] : []);
  const environment = look('environment');
  const names = environment?.kind === 'folder' ? environment.names : [];
  const compose = 'environment/docker-compose.yaml';
  return [
    ...problem(
      isThere('tests/docker-compose.yaml'),
      'tests/docker-compose.yaml',
      'tasks of several services are not supported',
    ),
    ...problem(isThere(compose), compose, 'tasks of several services (docker compose) are not supported'),
    ...['', ...file.steps.map(({ name }) => `steps/${name}/`)].flatMap((folder) =>
      problem(
        isThere(`${folder}trajectory.json`),
        `${folder}trajectory.json`,
        'an agent cannot be given an earlier trajectory',
      ),
    ),
    ...problem(
      image === undefined && !isThere('environment/Dockerfile') && !isThere(compose),
      'environment/Dockerfile',
      'missing: expected a Dockerfile, or environment.docker_image in task.toml',
    ),
    ...problem(
      image !== undefined && names.length > 0 && !names.includes('Dockerfile'),
      'environment',
      'files for an image that is not built here are not supported; add a Dockerfile that begins with FROM and copies them',
    ),
    ...partsOf(file).flatMap(({ folder, tests }) => [
      ...problem(
        instructionIn(look, folder).trim() === '',
        `${folder}instruction.md`,
        'missing or empty: expected what the agent is to do',
      ),
      ...problem(
        !(isVerifiedApart(file.verifier) && isThere('tests/Dockerfile')) &&
          tests.every((one) => look(`${one}/test.sh`)?.kind !== 'file'),
        `${tests.at(-1) ?? ''}/test.sh`,
        'missing: expected the script that verifies',
      ),
    ]),
  ];
}

/** The parts in which an agent works: the steps, or the whole task. Folders end with `/`, except those of tests. */
export const partsOf = ({ steps }: TaskFile): { folder: string; tests: string[] }[] =>
  steps.length === 0
    ? [{ folder: '', tests: ['tests'] }]
    : steps.map(({ name }) => ({ folder: `steps/${name}/`, tests: ['tests', `steps/${name}/tests`] }));

const CANARY = /^(<!--.*canary.*-->|#.*canary.*)$/i;

/** The text of an instruction, without lines at its beginning by which copies of it are found. */
export function instructionOf(text: string): string {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (!CANARY.test(lines[0]?.trim() ?? '')) return text;
  const from = lines.findIndex((line) => line.trim() !== '' && !CANARY.test(line.trim()));
  return from === -1 ? '' : lines.slice(from).join('\n');
}

/** The agent's instruction in a part of a task; empty if there is none. */
export function instructionIn(look: LookBeside, folder: string): string {
  const found = look(`${folder}instruction.md`);
  return found?.kind === 'file' ? instructionOf(found.text ?? '') : '';
}
