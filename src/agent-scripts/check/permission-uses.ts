import { ownValue } from '#lib';
import type { Permission } from '../deno-command.js';
import { at, type Reached } from './reach.js';
import type { Node } from './parse-module.js';

/** A place in the source that needs a permission. */
export interface PermissionUse {
  /** One of these is needed. If there are several, the source does not show which. */
  permissions: readonly Permission[];
  /** As written: `Deno.readTextFile`, `fetch`, `node:fs`. */
  what: string;
  file: string;
  line: number;
  column: number;
}

const R = ['read'] as const;
const W = ['write'] as const;
const N = ['net'] as const;
const FILES = ['read', 'write'] as const;

/** Permissions for members of `Deno`, including their `...Sync` forms (https://docs.deno.com/api/deno/). */
const MEMBERS: Readonly<Record<string, readonly Permission[]>> = {
  readFile: R,
  readTextFile: R,
  readDir: R,
  readLink: R,
  realPath: R,
  stat: R,
  lstat: R,
  watchFs: R,
  writeFile: W,
  writeTextFile: W,
  mkdir: W,
  makeTempDir: W,
  makeTempFile: W,
  remove: W,
  rename: W,
  truncate: W,
  chmod: W,
  chown: W,
  utime: W,
  link: W,
  symlink: W,
  create: W,
  copyFile: FILES,
  connect: N,
  connectTls: N,
  connectQuic: N,
  listen: N,
  listenTls: N,
  listenDatagram: N,
  serve: N,
  startTls: N,
  resolveDns: N,
  createHttpClient: N,
  env: ['env'],
  Command: ['run'],
  dlopen: ['ffi'],
  hostname: ['sys'],
  osRelease: ['sys'],
  osUptime: ['sys'],
  systemMemoryInfo: ['sys'],
  uid: ['sys'],
  gid: ['sys'],
  loadavg: ['sys'],
  networkInterfaces: ['sys'],
};
const GLOBALS: Readonly<Record<string, readonly Permission[]>> = { fetch: N, WebSocket: N, EventSource: N };
const NODE_MODULES: Readonly<Record<string, readonly Permission[]>> = {
  fs: FILES,
  'fs/promises': FILES,
  child_process: ['run'],
  os: ['sys'],
  http: N,
  https: N,
  net: N,
  dgram: N,
  dns: N,
  tls: N,
  http2: N,
};

/** Returns the places in a program's reachable code that need a permission. */
export function permissionUses(reached: readonly Reached[]): PermissionUse[] {
  const uses = reached.flatMap(({ module, node }): PermissionUse[] => {
    const found = useOf(node, (name) => module.bindings.has(name));
    return found === null ? [] : [{ ...found, file: module.path, ...at(node) }];
  });
  const imports = [...new Set(reached.map(({ module }) => module))].flatMap((module) =>
    module.imports.flatMap(({ from, node }): PermissionUse[] => {
      const permissions = ownValue(NODE_MODULES, from.replace(/^node:/, ''));
      return permissions === undefined ? [] : [{ permissions, what: from, file: module.path, ...at(node) }];
    }),
  );
  return [...uses, ...imports];
}

function useOf(node: Node, isOwn: (name: string) => boolean): Pick<PermissionUse, 'permissions' | 'what'> | null {
  if (node.type === 'CallExpression' || node.type === 'NewExpression') {
    const callee = node['callee'] as Node;
    const member = memberOfDeno(callee);
    if (member === 'open' || member === 'openSync')
      return { permissions: opened(node['arguments'] as Node[]), what: `Deno.${member}` };
    const name = callee.type === 'Identifier' ? String(callee['name']) : '';
    const permissions = isOwn(name) ? undefined : ownValue(GLOBALS, name);
    return permissions === undefined ? null : { permissions, what: name };
  }
  const member = memberOfDeno(node);
  const permissions =
    member === null ? undefined : (ownValue(MEMBERS, member) ?? ownValue(MEMBERS, member.replace(/Sync$/, '')));
  return permissions === undefined || member === null ? null : { permissions, what: `Deno.${member}` };
}

function memberOfDeno(node: Node): string | null {
  if (node.type !== 'MemberExpression' || node['computed'] === true) return null;
  const object = node['object'] as Node;
  const isDeno = object.type === 'Identifier' && object['name'] === 'Deno';
  return isDeno ? String((node['property'] as Node)['name']) : null;
}

/** The permissions for opening a file, according to the options. */
function opened([, options]: Node[]): readonly Permission[] {
  if (options === undefined) return R;
  if (options.type !== 'ObjectExpression') return FILES;
  const keys = (options['properties'] as Node[]).map((property) =>
    String((property['key'] as Node | undefined)?.['name']),
  );
  const writes = keys.some((key) => /^(write|append|create|createNew|truncate)$/.test(key));
  return !writes ? R : keys.includes('read') ? FILES : W;
}
