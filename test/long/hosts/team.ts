import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSharedStore } from '../../../src/store/shared/open-shared-store.js';
import type { SharedStore } from '../../../src/store/shared/shared-store.js';
import { ResultLine } from '../../../src/results/records/result-line.js';
import { CLI, createProject, EMPTY_FIXTURE, scenario, type TestProject } from '../../commands/project.js';
import { linesIn } from '../../commands/engine-parts.js';
import { createHost, type Host } from './host.js';
import { createNetwork } from './network.js';
import { startTeamServer, type TeamServer } from './team-server.js';

/** A project whose results several hosts share, with a server and a network of their own. */
export interface Team {
  project: TestProject;
  server: TeamServer;
  store: SharedStore;
  /** Where results are shared, as commands take it. */
  results: string;
  /** The environment of hosts and commands. */
  env: Record<string, string>;
  hosts: Host[];
  /** Creates a host, and starts nothing on it. */
  add: (name: string) => Host;
  /** Starts the worker of a host. `cli`: the program of another build. */
  work: (host: Host, slots: number, cli?: string) => void;
  /** Starts a command on this machine, which is no host. */
  start: (args: string[]) => ReturnType<TestProject['start']>;
  remove: () => Promise<void>;
}

export interface TeamOptions {
  /** After this time without a sign of life, the runs of a host are done again. */
  lostSecs: number;
  /** Given the address of this machine for the hosts, starts the place where results are shared; a folder by default. */
  shareIn?: (at: string) => Promise<SharedPlace>;
}

export interface SharedPlace {
  results: string;
  env: Record<string, string>;
  stop: () => Promise<void>;
}

/** What the agent does: it notes its start, works until it may end, and leaves a file. */
export interface Work {
  /** How long it works, in seconds. */
  secs?: number;
  /** It works until this file of the project exists. */
  until?: string;
}

export async function createTeam({ lostSecs, shareIn }: TeamOptions): Promise<Team> {
  const network = createNetwork();
  const undo: (() => Promise<unknown> | void)[] = [network.remove];
  const remove = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const server = await startTeamServer(network.address);
    undo.push(server.stop);
    const folder = await mkdtemp(join(tmpdir(), 'llm-tool-test-hosts-'));
    undo.push(() => rm(folder, { recursive: true, force: true }));
    const place = await (shareIn ?? inFolder(join(folder, 'shared')))(network.address);
    undo.push(place.stop);
    const project = await createProject(EMPTY_FIXTURE, { ownServer: true });
    undo.push(project.remove);
    const env = {
      ...place.env,
      TEMPORAL_ADDRESS: server.address,
      LLM_TOOL_TEST_LOST_SECS: String(lostSecs),
    };
    Object.assign(process.env, place.env); // for the store, which is opened in this process
    const hosts: Host[] = [];
    const { results } = place;
    undo.push(() => Promise.all(hosts.map((host) => host.kill())));
    return {
      ...{ project, server, results, env, hosts, remove },
      store: await openSharedStore(results),
      add(name) {
        const host = createHost(name, network, folder);
        hosts.push(host);
        return host;
      },
      work(host, slots, cli = CLI) {
        const worker = [cli, 'worker', '--address', server.address, '--results', results];
        host.start([...worker, '--slots', String(slots)], env, host.home);
      },
      start: (args) => project.start([...args, '--results', results], env),
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

const inFolder =
  (results: string): NonNullable<TeamOptions['shareIn']> =>
  async () => {
    await mkdir(results);
    return { results, env: {}, stop: () => Promise.resolve() };
  };

/** Writes the scenario `many`, whose agents note their starts. */
export function writeScenario({ project }: Team, { secs = 0, until }: Work): Promise<void> {
  const wait = until === undefined ? [] : [`until [ -e ${join(project.folder, until)} ]; do sleep 0.1; done`];
  const note = `echo "$(hostname) $LLM_TOOL_TEST_RUN" >> ${join(project.folder, 'starts')}`;
  return project.write(
    'fixtures/many.yaml',
    scenario('many', {
      gates: ['{type: file_contains, path: out.txt, substring: done}'],
      steps: [
        `run: '${[note, ...wait].join('; ')}'`,
        `wait_secs: ${secs}`,
        `write: {path: out.txt, content: done}`,
      ],
    }),
  );
}

/** A start of an agent, as the agent noted it. */
export interface Start {
  host: string;
  run: string;
}

export const startsOf = ({ project }: Team): Start[] =>
  linesIn(project, 'starts').map((line) => {
    const [host = '', mark = ''] = line.split(' ');
    return { host, run: mark.split('/')[0] ?? '' };
  });

/** How a run of a cell has ended, in the shared place. */
export interface RunEnd {
  name: string;
  /** Null: its host was lost. */
  line: ResultLine | null;
}

export async function endsOf({ store }: Team, sweep: string): Promise<RunEnd[]> {
  const folder = `.shared/cells/${sweep}`;
  const names = await store.list(folder);
  return Promise.all(
    names.map(async (name) => {
      const text = (await store.get(`${folder}/${name}`))?.toString() ?? '';
      const content = JSON.parse(text) as object;
      return { name, line: 'lost' in content ? null : ResultLine.parse(content) };
    }),
  );
}

/** How many runs have ended; cheaper than `endsOf`. */
export const countEnds = async ({ store }: Team, sweep: string): Promise<number> =>
  (await store.list(`.shared/cells/${sweep}`)).length;

export const readJson = async (file: string): Promise<unknown> => JSON.parse(await readFile(file, 'utf8'));
