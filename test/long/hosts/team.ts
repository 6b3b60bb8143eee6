import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cellsFolder, PROJECT } from '../../../src/store/shared/names.js';
import { openSharedStore } from '../../../src/store/shared/shared-project.js';
import type { SharedStore } from '../../../src/store/shared/shared-store.js';
import { ResultLine } from '../../../src/model/records/result-line.js';
import {
  CLI,
  createProject,
  documentOf,
  EMPTY_FIXTURE,
  scenario,
  until,
  type TestProject,
} from '../../commands/project.js';
import { linesIn } from '../../commands/engine-parts.js';
import { createHost, type Host } from './host.js';
import { createNetwork, type Network } from './network.js';
import { startTeamServer, type TeamServer } from './team-server.js';

/** A project whose results several hosts share. */
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
  /** The ends of the logs of all hosts, for a test that fails. */
  logs: () => Promise<string>;
  remove: () => Promise<void>;
}

/** A place where results are shared. */
interface SharedPlace {
  results: string;
  /** The variables that hosts and commands need to reach it. */
  env: Record<string, string>;
  stop: () => Promise<void>;
}

export interface TeamOptions {
  /** After this time without a sign of life, the runs of a host are done again. */
  lostSecs: number;
  /** Starts the shared place, given the address of this machine for the hosts; by default a folder. */
  shareIn?: (at: string) => Promise<SharedPlace>;
}

/** The shared parts of teams, because they take long to start: a network and a Temporal server. */
export interface Lab {
  network: Network;
  server: TeamServer;
  remove: () => Promise<void>;
}

export async function createLab(): Promise<Lab> {
  const network = createNetwork();
  const server = await startTeamServer(network.address).catch((error: unknown) => {
    network.remove();
    throw error;
  });
  console.log(`many hosts: on ${server.name}`);
  const remove = async (): Promise<void> => {
    await server.stop();
    network.remove();
  };
  return { network, server, remove };
}

export async function createTeam({ network, server }: Lab, { lostSecs, shareIn }: TeamOptions): Promise<Team> {
  const folder = await mkdtemp(join(tmpdir(), 'llm-tool-test-hosts-'));
  const place = await (shareIn ?? inFolder(join(folder, 'shared')))(network.address);
  const { results } = place;
  const project = await createProject(EMPTY_FIXTURE, { ownServer: true });
  const env = {
    ...place.env,
    TEMPORAL_ADDRESS: server.address,
    LLM_TOOL_TEST_LOST_SECS: String(lostSecs),
    LLM_TOOL_TEST_LIMITS: JSON.stringify({ waitedOutMs: 1000, retryMs: 1000, watchMs: 1000 }),
  };
  Object.assign(process.env, place.env); // for the store, which this process opens, too
  const hosts: Host[] = [];
  return {
    project,
    server,
    results,
    env,
    hosts,
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
    logs: async () => (await Promise.all(hosts.map(async (host) => `${host.name}: ${await host.log()}`))).join('\n'),
    async remove() {
      for (const host of hosts) await host.remove();
      await project.remove();
      await place.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const inFolder =
  (results: string): NonNullable<TeamOptions['shareIn']> =>
  async () => {
    await mkdir(results);
    return { results, env: {}, stop: () => Promise.resolve() };
  };

/** The work of the agent: it notes its start, works until it may end, and leaves a file. */
export interface Work {
  /** The time that it works, in seconds. */
  secs?: number;
  /** It works until this file of the project exists. */
  until?: string;
}

/** Writes the scenario `many`, whose agents note their starts. */
export function writeScenario({ project }: Team, { secs = 0, until }: Work): Promise<void> {
  const wait = until === undefined ? [] : [`until [ -e ${join(project.folder, until)} ]; do sleep 0.1; done`];
  const note = `echo "$(hostname) $LLM_TOOL_TEST_RUN" >> ${join(project.folder, 'starts')}`;
  return project.write(
    'fixtures/many.yaml',
    scenario('many', {
      gates: ['{type: file_contains, path: out.txt, substring: done}'],
      steps: [`run: '${[note, ...wait].join('; ')}'`, `wait_secs: ${secs}`, `write: {path: out.txt, content: done}`],
      more: 'cost: {cache: false}',
    }),
  );
}

/** Starts a sweep of the scenario `many` once results are shared. Returns its id. */
export async function startSweep(team: Team, cells: number, concurrency: number): Promise<string> {
  await until('a host', async () => ((await team.store.get(PROJECT)) === null ? null : true));
  const args = ['run', 'many', '--repeat', String(cells), '--concurrency', String(concurrency)];
  const { exitCode, stdout, stderr } = await team.start([...args, '--detach', '--json']);
  if (exitCode !== 0) throw new Error(`the sweep did not start: ${stderr}`);
  return documentOf(stdout).sweep;
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

/** The end of a run of a cell, in the shared place. */
export interface RunEnd {
  name: string;
  /** Null: its host was lost. */
  line: ResultLine | null;
}

export async function endsOf({ store }: Team, sweep: string): Promise<RunEnd[]> {
  const folder = cellsFolder(sweep);
  const names = await store.list(folder);
  return Promise.all(
    names.map(async (name) => {
      const text = (await store.get(`${folder}/${name}`))?.toString() ?? '';
      const content = JSON.parse(text) as object;
      return { name, line: 'lost' in content ? null : ResultLine.parse(content) };
    }),
  );
}

/** Counts the runs that have ended; cheaper than `endsOf`. */
export const countEnds = async ({ store }: Team, sweep: string): Promise<number> =>
  (await store.list(cellsFolder(sweep))).length;
