import { until } from '../../commands/project.js';
import { randomNumbers } from '../../random.js';
import type { Host } from './host.js';
import { countEnds, type Team } from './team.js';

/** The slots of each host. */
export const SLOTS = 3;

/** A sweep that takes longer hangs, also on a busy machine. */
const HANGS_MS = 1_500_000;

/** A fault of a host, and how it passes. */
interface HostFault {
  name: string;
  begin: (host: Host) => Promise<void> | void;
  end: (host: Host, team: Team) => void;
}

const HOST_FAULTS: HostFault[] = [
  { name: 'is killed', begin: (host) => host.kill(), end: (host, team) => team.work(host, SLOTS) },
  { name: 'freezes', begin: (host) => host.freeze(), end: (host) => host.thaw() },
  { name: 'loses the network', begin: ({ link }) => link.cut(), end: ({ link }) => link.mend() },
];

/** One fault, decided before the sweep begins. */
interface Fault {
  /** The number of runs that have ended when it begins. */
  at: number;
  of: 'server' | 'database' | 'host';
  /** The choice among the hosts that are well, from 0 to 1. */
  who: number;
  what: HostFault;
  /** After how many more ends it passes. */
  lasts: number;
}

/** A host is back soon, or only after its runs were given up. */
const SOON = 5;
const LATE = 40;

export function drawFaults(
  seed: number,
  count: number,
  cells: number,
): { faults: Fault[]; joinsAt: number; dies: number } {
  const draw = randomNumbers(seed);
  const faults = Array.from({ length: count }, (_, nth): Fault => {
    const at = Math.floor(((nth + draw()) / count) * 0.95 * cells);
    const of = draw();
    const what = HOST_FAULTS[Math.floor(draw() * HOST_FAULTS.length)];
    if (what === undefined) throw new Error('a random number is not below 1');
    return {
      at,
      what,
      who: draw(),
      of: of < 0.15 ? 'server' : of < 0.3 ? 'database' : 'host',
      lasts: 1 + Math.floor(draw() * (draw() < 0.5 ? SOON : LATE)),
    };
  });
  return { faults, joinsAt: Math.floor((draw() * cells) / 2), dies: Math.floor(draw() * count) };
}

export interface Disturbed {
  /** The events, in order. */
  log: string[];
  /** The hosts that are up at the end. */
  living: Host[];
}

/**
 * Has things go wrong while a sweep runs: hosts are killed, freeze, lose the network and come back, one dies for good
 * and one joins late; the server and its database are killed and start again. All of this happens when a number of runs
 * has ended, never at a time. At least one host is always well.
 */
export async function disturb(
  team: Team,
  sweep: string,
  { faults, joinsAt, dies }: ReturnType<typeof drawFaults>,
  isOver: () => boolean,
): Promise<Disturbed> {
  const log: string[] = [];
  const well = new Set(team.hosts);
  /** Faults that will pass, with the number of ends. */
  const passing: { at: number; pass: () => Promise<void> }[] = [];
  let ended = 0;
  const note = (text: string): void => {
    log.push(`${ended}: ${text}`);
    console.log(`after ${ended} runs: ${text}`); // also of a sweep that hangs
  };

  async function begin({ of, who, what, at, lasts }: Fault, isLast: boolean): Promise<void> {
    if (of === 'server') {
      note('the server restarts');
      return team.server.restart();
    }
    if (of === 'database' && team.server.restartDatabase !== null) {
      note('the database restarts');
      return team.server.restartDatabase();
    }
    if (well.size < 2) await passing.shift()?.pass();
    const host = [...well][Math.floor(who * well.size)];
    if (host === undefined || well.size < 2) return;
    well.delete(host);
    note(`${host.name} ${isLast ? 'dies' : what.name}`);
    if (isLast) return host.kill();
    await what.begin(host);
    passing.push({
      at: at + lasts,
      pass: () => {
        note(`${host.name} is back`);
        well.add(host);
        what.end(host, team);
        return Promise.resolve();
      },
    });
  }
  function join(): Promise<void> {
    const host = team.add('late');
    note(`${host.name} joins`);
    team.work(host, SLOTS);
    well.add(host);
    return Promise.resolve();
  }

  const coming = [
    ...faults.map((fault, nth) => ({ at: fault.at, happen: () => begin(fault, nth === dies) })),
    { at: joinsAt, happen: join },
  ].sort((a, b) => a.at - b.at);

  await until(
    'the end of the sweep',
    async () => {
      ended = await countEnds(team, sweep);
      passing.sort((a, b) => a.at - b.at);
      const isEnd = isOver();
      while (passing[0] !== undefined && (isEnd || passing[0].at <= ended)) await passing.shift()?.pass();
      while (!isEnd && coming[0] !== undefined && coming[0].at <= ended) await coming.shift()?.happen();
      return isEnd ? true : null;
    },
    HANGS_MS,
  );
  return { log, living: [...well] };
}
