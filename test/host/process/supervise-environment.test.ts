import { readFileSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { findExecutable } from '../../../src/host/process/find-deno.js';
import { startSupervised } from '../../../src/host/process/supervise.js';
import { inEachMode, PATH, prepare } from '../supervised.js';
import { newFolder, setEnv } from '../temporary.js';

/** With a static busybox, its own `unshare`, which has no `--kill-child`, comes before the one on PATH. */
const SHELLS = ['dash', 'bash', 'busybox'].flatMap((name) => {
  const path = findExecutable(name);
  return path === null ? [] : [{ name, path }];
});

/** Usual names of variables in scripts, and every word in the scripts of the supervisor. */
const NAMES = [
  ...'mode dir start boot script deadline mark cwd stdin status line found seen waited rounds'.split(' '),
  ...'idle_tick grace environ pid unchanged now reason setsid perl sh'.split(' '),
  ...['claim.sh', 'supervise.sh'].flatMap((file) => {
    const text = readFileSync(new URL(`../../../src/host/process/supervisor/${file}`, import.meta.url), 'utf8');
    return text.match(/\b[a-z]\w*/g) ?? [];
  }),
];

inEachMode((test) => {
  test.each(SHELLS)('gets variables of any name when $name is the shell', async ({ path }) => {
    const bin = join(await newFolder(), 'bin');
    await mkdir(bin);
    await symlink(path, join(bin, 'sh'));
    setEnv({ PATH: `${bin}:${process.env['PATH'] ?? ''}` });
    const given = Object.fromEntries(NAMES.map((name) => [name, `the agent's ${name}`]));
    const agent = await prepare('', {
      argv: ['cat', '/proc/self/environ'],
      env: { ...given, PATH },
      idleSecs: 60,
    });
    await startSupervised(agent);
    await agent.end();
    const entries = agent
      .out()
      .split('\0')
      .map((entry) => entry.split('=', 2));
    const got = Object.fromEntries(entries.filter(([name]) => name !== undefined && name in given)) as unknown;
    expect(got).toEqual(given);
  });
});
