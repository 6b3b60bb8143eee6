import { execFileSync } from 'node:child_process';
import { networkInterfaces } from 'node:os';

/** A network of hosts on this machine: a bridge, and a network namespace with one link to it for each host. */
export interface Network {
  /** The address of this machine in the network. */
  address: string;
  /** Adds a namespace with a link. */
  add: (name: string) => Link;
  remove: () => void;
}

/** The link of a host. */
export interface Link {
  /** For `ip netns exec`. */
  namespace: string;
  /** Takes the link down: what is sent is lost, and connections stay open. */
  cut: () => void;
  mend: () => void;
  /** Removes the link with its namespace. */
  remove: () => void;
}

const ip = (...args: string[]): string => execFileSync('ip', args, { encoding: 'utf8', stdio: 'pipe' });

/** Says why there can be no such network here; null if there can. */
export function networkProblem(): string | null {
  if (process.platform !== 'linux') return 'network namespaces need Linux';
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  try {
    ip('-V');
    return null;
  } catch {
    return 'there is no program `ip` (Debian: iproute2)';
  }
}

let count = 0;

/** Creates a network. It is also removed when this process ends. */
export function createNetwork(): Network {
  // Names of devices have at most 15 characters.
  const id = `ltt${process.pid}${String.fromCharCode(97 + count++)}`;
  const subnet = freeSubnet();
  const address = `${subnet}.1`;
  const namespaces = new Set<string>();
  let links = 0;
  const remove = (): void => {
    process.off('exit', remove);
    for (const namespace of namespaces) ip('netns', 'delete', namespace);
    ip('link', 'delete', id);
  };
  ip('link', 'add', id, 'type', 'bridge');
  process.once('exit', remove);
  ip('address', 'add', `${address}/24`, 'dev', id);
  ip('link', 'set', id, 'up');
  return {
    address,
    remove,
    add(name) {
      links += 1;
      const namespace = `${id}-${name}-${links}`;
      const link = `${id}-${links}`;
      ip('netns', 'add', namespace);
      namespaces.add(namespace);
      ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
      ip('link', 'set', link, 'master', id, 'up');
      ip('-n', namespace, 'address', 'add', `${subnet}.${links + 1}/24`, 'dev', 'eth0');
      ip('-n', namespace, 'link', 'set', 'lo', 'up');
      ip('-n', namespace, 'link', 'set', 'eth0', 'up');
      return {
        namespace,
        cut: () => ip('link', 'set', link, 'down'),
        mend: () => ip('link', 'set', link, 'up'),
        remove() {
          ip('netns', 'delete', namespace);
          namespaces.delete(namespace);
        },
      };
    },
  };
}

/** The first three numbers of a network that this machine does not use. */
function freeSubnet(): string {
  const used = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
  for (;;) {
    const subnet = `10.${200 + Math.floor(Math.random() * 50)}.${Math.floor(Math.random() * 256)}`;
    if (!used.some((address) => address.startsWith(`${subnet}.`))) return subnet;
  }
}
