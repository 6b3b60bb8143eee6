import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, readdirSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bubblewrapProblem } from '../../src/environments/bubblewrap.js';
import { findE2b } from '../../src/environments/e2b/service.js';
import { accessFile, keepAccess } from '../../src/environments/e2b/sandbox-state.js';
import {
  sharesHost,
  type EnvironmentHandle,
  type ExecRequest,
  type StartRequest,
} from '../../src/environments/environment.js';
import type { CloudSandbox } from '../../src/environments/machine/settings.js';
import { environments } from '../../src/environments/all-environments.js';
import { lastStart, startFiles } from '../../src/environments/journal.js';
import { wayOfOutput } from '../../src/environments/machine/stream.js';
import { changesIn, collect } from '../../src/environments/workspace-changes.js';
import { fileText } from '../../src/gates/gate.js';
import type { Command } from '../../src/lib/commands/command.js';
import { supervisorErrors } from '../../src/host/process/supervise.js';
import { until } from '../commands/project.js';
import { compileSources } from '../host/compiled.js';
import { killProcess, killWhenFinished, processesWith } from '../host/processes.js';
import { containersOf, IMAGE, imageId, processesInside, USER_IMAGE, whyNoContainers } from './containers.js';
import { startE2bServer, whyNoSandboxes, type E2bServer } from './e2b-server.js';
import { CLUSTER, POD_IMAGE, podsOf, processesInPod, whyNoCluster } from './cluster.js';
import { confirmed, newPlace, write } from './places.js';

const compiled = await compileSources();
const END = (): AbortSignal => AbortSignal.timeout(60_000);

/** The reason why an environment cannot be tested here; null if it can. */
const whyNot = {
  local: () => Promise.resolve(null),
  bubblewrap: bubblewrapProblem,
  docker: (image: string) => whyNoContainers('docker', image),
  podman: (image: string) => whyNoContainers('podman', image),
  e2b: whyNoSandboxes,
  kubernetes: whyNoCluster,
};

/**
 * Defines the tests of what every environment guarantees. Containers are made from the image, with docker or podman.
 */
export async function testContract(place: keyof typeof whyNot, image = IMAGE): Promise<void> {
  const lacking = await whyNot[place](image);
  if (lacking !== null) console.warn(`${place} is not tested here: ${lacking}`);
  describe(`an environment: ${place}${image === IMAGE ? '' : `, ${image}`}`, () => {
    const type = place === 'podman' ? 'docker' : place;
    const cli = place === 'podman' ? 'podman' : 'docker';
    const environment = environments[type];
    const skipped = lacking !== null;
    let server: E2bServer | null = null;
    beforeAll(async () => {
      if (type === 'e2b' && !skipped) server = await startE2bServer();
    });
    afterAll(() => server?.close());

    /** The parts of a handle that only this type of environment has. */
    async function own(here: EnvironmentHandle): Promise<Partial<EnvironmentHandle>> {
      const inside = { type, root: '/llm-tool-test', workspace: '/llm-tool-test/workspace' };
      const name = `llm-tool-test-${here.mark}`;
      switch (type) {
        case 'docker':
          return { ...inside, container: { command: cli, image: imageId(cli, image), name } };
        case 'e2b': {
          const access = accessFile(join(here.journal, '..'));
          const sandbox: CloudSandbox = {
            template: 'base',
            timeoutSecs: 600,
            name,
            access,
            module: findE2b([]).module ?? '',
          };
          await keepAccess(sandbox, server?.env ?? {});
          return { ...inside, sandbox };
        }
        case 'kubernetes': {
          const [root, own] = [`${inside.root}/run`, image === USER_IMAGE ? { user: 1000 } : {}];
          const limits = { timeoutSecs: 600, startTimeoutSecs: 60 };
          const pod = { ...CLUSTER, ...own, ...limits, name, owner: 'contract', image: POD_IMAGE };
          return { type, root, workspace: `${root}/workspace`, pod };
        }
        case 'local':
        case 'bubblewrap':
          return { type };
      }
    }

    /** A run with a workspace of these files, which is disposed of after the test. */
    async function made(files: Record<string, string> = {}) {
      const { handle: here, fixture, seconds } = await newPlace();
      const handle: EnvironmentHandle = { ...here, ...(await own(here)) };
      onTestFinished(() => environment.dispose(handle));
      killWhenFinished(seconds);
      write(fixture, { 'given.txt': 'given', ...files });
      await environment.prepare(handle, { fixture, files: {}, programs: {} }, confirmed);
      const env = { PATH: `${handle.root}/bin:/usr/local/bin:/usr/bin:/bin`, HOME: `${handle.root}/home` };
      const run = (command: Command, more: Partial<ExecRequest> = {}) =>
        environment.exec(handle, { command, env, timeoutSecs: 30, ...more });
      const start = (command: string, more: Partial<StartRequest> = {}) =>
        environment.start(handle, {
          start: 1,
          argv: ['sh', '-c', command],
          env,
          stdin: '',
          files: [],
          deadlineSecs: 60,
          idleSecs: null,
          ...more,
        });
      const alive = (): string[] => {
        const { container, pod } = handle;
        if (pod !== undefined) return processesInPod(pod, seconds);
        return container === undefined
          ? processesWith(seconds).map(String)
          : processesInside(container.name, seconds, cli);
      };
      const printed = (number = 1): string => {
        const { stdout } = startFiles(handle, number);
        return existsSync(stdout) ? readFileSync(stdout, 'utf8') : '';
      };
      return { handle, fixture, seconds, env, run, start, alive, printed };
    }

    describe.skipIf(skipped)('a command', () => {
      it('runs in the workspace with its variables, and its output and exit status are returned', async () => {
        const { handle, run, env } = await made();
        const odd = `a 'b' "c" $d \`e\`\nf é`;
        const command = 'pwd; printf %s "$ODD"; cat given.txt; echo err >&2; exit 7';
        const result = await run(command, { env: { ...env, ODD: odd } });
        expect(result).toMatchObject({ exitCode: 7, timedOut: false, stderr: 'err\n' });
        expect(result.stdout).toBe(`${handle.workspace}\n${odd}given`);
      });

      it('given as a program with arguments gets them exactly as they are, without a shell', async () => {
        const { run, env } = await made();
        const odd = ['', ' ', `it's`, '"q"', '$HOME', '`id`', '$(id)', 'a\nb', '../x', '*', '-n', 'é', '\\'];
        const print = 'for word in "$@"; do printf "%s|" "$word"; done';
        const result = await run(['sh', '-c', print, 'sh', ...odd], { env });
        expect(result).toMatchObject({ exitCode: 0, stdout: odd.map((word) => `${word}|`).join('') });
        expect(await run(['no-such-program', 'x'])).toMatchObject({ exitCode: 127, timedOut: false });
      });

      it('is ended at its timeout, with everything it started', async () => {
        const { run, seconds, alive } = await made();
        const result = await run(`sleep ${seconds} & sleep ${seconds}`, { timeoutSecs: 1 });
        expect(result).toMatchObject({ timedOut: true, exitCode: null });
        await until('the end of all', () => (alive().length === 0 ? true : null));
      });

      it('leaves nothing in the background when it ends, unless asked to', async () => {
        const { run, seconds, alive } = await made();
        await run(`sleep ${seconds} >/dev/null 2>&1 &`);
        await until('the end of it', () => (alive().length === 0 ? true : null));
        await run(`sleep ${seconds} >/dev/null 2>&1 &`, { keepBackground: true, part: 'kept' });
        expect(alive()).toHaveLength(1);
      });

      it('left in the background by one part of the run can be ended separately', async () => {
        const { handle, run, seconds, alive } = await made();
        for (const part of ['gate 1', 'gate 2'])
          await run(`setsid sleep ${seconds} >/dev/null 2>&1 &`, { keepBackground: true, part });
        await until('both', () => (alive().length === 2 ? true : null));
        await environment.kill(handle, { part: 'gate 1' });
        expect(alive()).toHaveLength(1);
        await environment.kill(handle, 'everything');
        expect(alive()).toEqual([]);
      });

      it('is ended when its step is aborted', async () => {
        const { run, seconds, alive } = await made();
        const stopped = new AbortController();
        const result = run(`sleep ${seconds}`, { signal: stopped.signal }).catch(() => 'aborted');
        await until('the command', () => (alive().length > 0 ? true : null));
        stopped.abort();
        expect(await result).toBe('aborted');
        await until('its end', () => (alive().length === 0 ? true : null));
      });
    });

    describe.skipIf(skipped)('an agent', () => {
      it('gets its prompt, files and variables, and its output and exit status are in the journal', async () => {
        const { handle, start, env, printed } = await made();
        const file = `${handle.root}/config/settings/own.json`;
        await start('cat; cat "$FILE"; echo "$ODD $LLM_TOOL_TEST_RUN"; echo err >&2; exit 4', {
          stdin: `the "prompt" é\n`,
          env: { ...env, FILE: file, ODD: `it's` },
          files: [{ path: file, content: '{"a": "$b"}\n' }],
        });
        const end = await environment.inspect(handle, 1, END());
        expect(end).toEqual({ state: 'ended', exitCode: 4, stopped: null });
        expect(printed()).toBe(`the "prompt" é\n{"a": "$b"}\nit's ${handle.mark}/agent\n`);
        expect(readFileSync(startFiles(handle, 1).stderr, 'utf8')).toBe('err\n');
        expect(statSync(startFiles(handle, 1).stdout).mode & 0o077).toBe(0);
        expect(await environment.inspect(handle, 2)).toEqual({ state: 'none' });
        expect(lastStart(handle)).toBe(1);
      });

      it('can be read while it works', async () => {
        const { handle, start, run, printed } = await made();
        await start('echo one; until [ -e go ]; do sleep 0.05; done; echo two');
        await until('the first line', async () => {
          expect((await environment.inspect(handle, 1)).state).toBe('running');
          return printed() === 'one\n' ? true : null;
        });
        await run('touch go');
        await environment.inspect(handle, 1, END());
        expect(printed()).toBe('one\ntwo\n');
      });

      it('loses none of its output when it prints megabytes', async () => {
        const { handle, start, printed } = await made();
        await start('yes 123456789 | head -c 9000001');
        await environment.inspect(handle, 1, END());
        expect(printed()).toHaveLength(9_000_001);
      });

      it('cannot take back what it has printed, after it was copied to this machine', async () => {
        const { handle, start, run, printed } = await made();
        // Without a sandbox it could search for the file.
        const file = type === 'local' ? '' : '../agent/1/out';
        await start(
          `echo first; until [ -e go ]; do sleep 0.1; done; for f in /proc/$PPID/fd/1 /proc/self/fd/1 ${file}; do true >$f; done 2>/dev/null; echo last`,
        );
        await until('output', async () => {
          await environment.inspect(handle, 1);
          return printed() === 'first\n' ? true : null;
        });
        await run('touch go');
        expect(await environment.inspect(handle, 1, END())).toMatchObject({ state: 'ended', exitCode: 0 });
        expect(printed()).toMatch(/^first\n/);
        if (type !== 'e2b' && type !== 'kubernetes') expect(printed()).toBe('first\nlast\n');
      });

      it.runIf(type === 'docker')('prints straight to this machine', async () => {
        const { handle, start } = await made();
        await start('echo up');
        expect(await environment.inspect(handle, 1, END())).toMatchObject({ state: 'ended' });
        expect(wayOfOutput(handle)).toBe('streamed');
      });

      it.runIf(type === 'docker')('loses no output if the stream of it is killed, which is told', async () => {
        const { handle, start, run, printed } = await made();
        await start('echo one; until [ -e go ]; do sleep 0.05; done; echo two; echo err >&2');
        await until('the first line', () => (printed() === 'one\n' ? true : null));
        const { folder, stderr } = startFiles(handle, 1);
        const [stream = ''] = readdirSync(folder).filter((name) => /^stream-[^-]*$/.test(name));
        killProcess(Number(readFileSync(join(folder, stream, 'sup'), 'utf8').split(' ')[0]));
        await run('touch go');
        expect(await environment.inspect(handle, 1, END())).toMatchObject({ state: 'ended', exitCode: 0 });
        expect([printed(), readFileSync(stderr, 'utf8')]).toEqual(['one\ntwo\n', 'err\n']);
        expect(wayOfOutput(handle)).toBe('copied');
      });

      it.runIf(type === 'docker').each(['', 'kill -KILL $(cut -d " " -f 1 ../agent/1/sup);'])(
        'counts as lost if it has recorded an end of its own: %j',
        async (more) => {
          const { handle, start, seconds } = await made();
          await start(`echo up; printf '0\\n' >../agent/1/exit; ${more} sleep ${seconds}`);
          expect(await environment.inspect(handle, 1, END())).toEqual({ state: 'dead' });
        },
      );

      it.runIf(type === 'docker')(
        'counts as lost if what passes on its output was killed in the container',
        async () => {
          const { handle, start, run, printed } = await made();
          await start('trap "" PIPE; echo one; until [ -e go ]; do sleep 0.05; done; exit 0');
          await until('the first line', () => (printed() === 'one\n' ? true : null));
          const name = handle.container?.name ?? '';
          const kill = "kill -KILL $(grep -l '[s]tream=' /proc/[0-9]*/cmdline | grep -v self | cut -d / -f 3)";
          execFileSync('docker', ['exec', '-u', '0', name, 'sh', '-c', kill]);
          await run('touch go');
          expect(await environment.inspect(handle, 1, END())).toEqual({ state: 'dead' });
          expect(await supervisorErrors(startFiles(handle, 1).folder)).toContain('was killed');
        },
      );

      it('is stopped on request, with everything it started', async () => {
        const { handle, start, seconds, alive } = await made();
        await start(`trap '' TERM; setsid sleep ${seconds} & env -i setsid sleep ${seconds} & sleep ${seconds}`);
        await until('all of it', () => (alive().length >= 3 ? true : null));
        await environment.kill(handle, { start: 1, reason: 'cancel' });
        expect(await environment.inspect(handle, 1)).toMatchObject({ state: 'ended', stopped: 'cancel' });
        expect(alive()).toEqual([]);
      });

      it('takes its background processes with it when it ends, but not those of setup commands', async () => {
        const { handle, start, run, seconds, alive } = await made();
        await run(`setsid sleep ${seconds} >/dev/null 2>&1 &`, { keepBackground: true });
        await start(`setsid sleep ${seconds} >/dev/null 2>&1 & exit 0`);
        await environment.inspect(handle, 1, END());
        expect(alive()).toHaveLength(1);
      });

      it('is stopped at its deadline and at its idle limit', async () => {
        const { handle, start, seconds } = await made();
        await start(`trap '' TERM; sleep ${seconds}; sleep ${seconds}`, { deadlineSecs: 1 });
        expect(await environment.inspect(handle, 1, END())).toMatchObject({ stopped: 'deadline' });
        await start(`echo up; sleep ${seconds}`, { start: 2, idleSecs: 1 });
        expect(await environment.inspect(handle, 2, END())).toMatchObject({ stopped: 'idle' });
      });

      it('outlives the process that started it and is adopted by another', async () => {
        const { handle, run, env, printed, seconds } = await made();
        const starter = compiled.program(`
        import { environments } from './environments/index.js';
        const [handle, request] = JSON.parse(process.argv[2]);
        await environments[handle.type].start(handle, request);
        process.kill(process.pid, 'SIGKILL');`);
        const script = `echo up; until [ -e go ]; do sleep 0.05; done; echo done; : ${seconds}`;
        const request: StartRequest = {
          start: 1,
          argv: ['sh', '-c', script],
          env,
          stdin: '',
          files: [],
          deadlineSecs: 60,
          idleSecs: null,
        };
        await compiled.run(starter, [JSON.stringify([handle, request])]);
        expect(await environment.inspect(handle, 1)).toEqual({ state: 'running' });
        await run('touch go');
        expect(await environment.inspect(handle, 1, END())).toMatchObject({ exitCode: 0 });
        expect(printed()).toBe('up\ndone\n');
      });

      it('counts as dead if its supervisor was killed', async () => {
        const { handle, start, seconds, run } = await made();
        await start(`sleep ${seconds}`);
        const claim = sharesHost(handle) ? startFiles(handle, 1).claim : `${handle.root}/agent/1/sup`;
        if (sharesHost(handle)) killProcess(Number(readFileSync(claim, 'utf8').split(' ')[0]));
        else await run(`kill -KILL $(cut -d ' ' -f 1 ${claim})`);
        expect(await environment.inspect(handle, 1, END())).toEqual({ state: 'dead' });
      });
    });

    describe.skipIf(skipped)('the workspace', () => {
      it('is created from the fixture and the setup files, and replaces an old one', async () => {
        const { handle, fixture, run } = await made({ 'initial-state/sub/a.txt': 'a' });
        expect((await run('find . | sort; touch old; ls -A "$HOME"')).stdout).toBe(
          '.\n./given.txt\n./sub\n./sub/a.txt\n',
        );
        await run('touch "$HOME/old"');
        const data = { 'new/c.bin': Uint8Array.of(0, 255, 10) };
        const contents = { fixture, files: { 'new/b.txt': 'b é' }, data, programs: {} };
        await environment.prepare(handle, contents, confirmed);
        expect(
          (await run('find . -type f | sort; cat new/b.txt; ls -A "$HOME"; od -An -tu1 new/c.bin')).stdout,
        ).toMatch(/^\.\/given\.txt\n\.\/new\/b\.txt\n\.\/new\/c\.bin\n\.\/sub\/a\.txt\nb é *0 +255 +10\n$/);
      });

      it('has programs that are found first on PATH', async () => {
        const { handle, fixture, run } = await made();
        write(fixture, { 'tool.sh': '#!/bin/sh\necho called\n' });
        const programs = { tool: `${handle.workspace}/tool.sh` };
        await environment.prepare(handle, { fixture, files: {}, programs }, confirmed);
        await run('chmod +x tool.sh');
        expect((await run('tool')).stdout).toBe('called\n');
      });

      it('shows files, folders, missing files, and symlinks that stay inside or leave it', async () => {
        const { handle, run } = await made({ 'sub/a.txt': 'héllo\r\n', latin: 'x' });
        await run(
          `ln -s sub/a.txt inside; ln -s ../home out; ln -s /etc etc; ln -s none gone; ln -s circle circle; mkfifo fifo; printf '\\351' >latin; mkdir -p -- '-n'; : >"it's"`,
        );
        const look = (path: string) => environment.lookInside(handle, path);
        expect(await fileText(await look('sub/a.txt'))).toBe('héllo\r\n');
        expect(await look('inside')).toMatchObject({ kind: 'file', bytes: 8 });
        expect(await look('sub')).toEqual({ kind: 'directory' });
        expect(await look('-n')).toEqual({ kind: 'directory' });
        expect(await look(`it's`)).toMatchObject({ kind: 'file', bytes: 0 });
        for (const path of ['none', 'gone', 'given.txt/below']) expect(await look(path)).toEqual({ kind: 'missing' });
        for (const path of ['out', 'etc/passwd', '../home'])
          expect([path, await look(path)]).toEqual([path, { kind: 'outside' }]);
        expect(await look('circle')).toEqual({ kind: 'unreadable', reason: 'ELOOP' });
        expect(await look('fifo')).toMatchObject({ kind: 'unreadable' });
        expect(await fileText(await look('latin'))).toBeNull();
      });

      it('gives the text of a large file', async () => {
        const { handle, run } = await made();
        await run('yes 1234567 | head -c 3000000 >large');
        expect((await fileText(await environment.lookInside(handle, 'large')))?.length).toBe(3_000_000);
      });

      it('is compared with what it was created from', async () => {
        const { handle, fixture, run } = await made({ 'changed.txt': 'a', 'removed.txt': 'r' });
        await run('echo b >changed.txt; rm removed.txt; echo new >added.txt');
        const { changed } = (await changesIn(environment, handle, { fixture, files: {} })) ?? {};
        expect(changed?.map(({ path, change }) => `${change} ${path}`)).toEqual([
          ...['added added.txt', 'changed changed.txt', 'removed removed.txt'],
        ]);
      });

      it('is collected with secrets masked, after everything that still runs has been ended', async () => {
        const { handle, run, seconds, alive } = await made();
        await run(`echo a secret >mine.txt; ln -s /outside link; setsid sleep ${seconds} >/dev/null 2>&1 &`, {
          keepBackground: true,
        });
        const to = join(handle.journal, '..', 'kept');
        const mask = (content: Buffer) => (content.includes('secret') ? Buffer.from('***') : null);
        await collect(environment, handle, to, mask);
        expect(alive()).toEqual([]);
        expect(readFileSync(join(to, 'mine.txt'), 'utf8')).toBe('***');
        expect(statSync(join(to, 'given.txt')).isFile()).toBe(true);
        expect(readFileSync(join(to, 'given.txt'), 'utf8')).toBe('given');
      });

      it('counts as missing if a symlink has taken its place', async () => {
        const { handle, fixture, run } = await made();
        await run(`cd ..; mv "${handle.workspace}" elsewhere; ln -s elsewhere "${handle.workspace}"`);
        expect(await environment.lookInside(handle, 'given.txt')).toEqual({ kind: 'missing' });
        expect(await run('true')).toMatchObject({
          exitCode: 127,
          stderr: expect.stringContaining('is gone') as string,
        });
        expect(await changesIn(environment, handle, { fixture, files: {} })).toBeNull();
      });
    });

    it.skipIf(skipped)(
      'is disposed of with everything that runs in it, except for the journal, and can be disposed of twice',
      async () => {
        const { handle, start, run, seconds, printed } = await made();
        await run(`setsid sleep ${seconds} >/dev/null 2>&1 &`, { keepBackground: true });
        await start(`echo up; sleep ${seconds}`);
        await until('output', async () => {
          await environment.inspect(handle, 1);
          return printed() === 'up\n' ? true : null;
        });
        await environment.dispose(handle);
        await environment.dispose(handle);
        if (type === 'docker') expect(containersOf(handle.mark, cli)).toEqual([]);
        else if (type === 'e2b')
          expect(server?.list().filter(({ metadata }) => JSON.stringify(metadata).includes(handle.mark))).toEqual([]);
        else if (type === 'kubernetes') expect(podsOf(handle.mark)).toEqual([]);
        else expect(processesWith(seconds)).toEqual([]);
        expect(readFileSync(startFiles(handle, 1).stdout, 'utf8')).toBe('up\n');
        expect(await environment.lookInside(handle, '.')).toEqual({ kind: 'missing' });
        expect(readdirSync(handle.journal)).toEqual(['1']);
      },
    );

    it.skipIf(skipped)('is left alone if another attempt has taken it over', async () => {
      const { handle, fixture, run } = await made();
      await run('touch theirs');
      const refuse = () => Promise.reject(new Error('a later attempt has taken over'));
      await expect(environment.prepare(handle, { fixture, files: {}, programs: {} }, refuse)).rejects.toThrow(
        'taken over',
      );
      expect(await environment.lookInside(handle, 'theirs')).toMatchObject({ kind: 'file' });
    });

    it.skipIf(skipped)('shows the checks to the command that they are for, and to no agent', async () => {
      const { handle, fixture, run, start, printed } = await made();
      const checks = join(fixture, '..', 'checks');
      write(checks, {
        'check.sh': 'cat "$(dirname "$0")/sub/secret-name"\n',
        'sub/secret-name': 'secret\n',
      });
      const inSandbox = { shown: [], checks };
      const command = 'sh "$LLM_TOOL_TEST_CHECKS/check.sh" && echo "$LLM_TOOL_TEST_CHECKS"';
      const { stdout, stderr } = await run(command, { inSandbox });
      const [content, path = ''] = stdout.split('\n');
      expect([content, stderr]).toEqual(['secret', '']);
      // Changes that a script makes there, if it can, do not reach the snapshot.
      await run('echo x >"$LLM_TOOL_TEST_CHECKS/made"; rm "$LLM_TOOL_TEST_CHECKS/check.sh"', { inSandbox });
      expect(readdirSync(checks).sort()).toEqual(['check.sh', 'sub']);
      // Left by a worker that was killed while it checked the first turn.
      if (type !== 'bubblewrap')
        await run(`mkdir -p "${handle.root}/check-files/x" && touch "${handle.root}/check-files/x/secret-name"`);
      for (const number of [2, 3]) {
        const search = `find "${handle.root}" "${path}" -name 'secret-*' -o -name check.sh; env | grep CHECKS`;
        await start(`{ ${search}; } 2>/dev/null; echo end`, { start: number });
        await environment.inspect(handle, number, END());
        expect(printed(number)).toBe('end\n');
        expect((await run(command, { inSandbox })).stdout).toMatch(/^secret\n/);
      }
      expect((await run('echo "$LLM_TOOL_TEST_CHECKS"')).stdout).toBe('\n');
    });

    // Root in a container can change everything in it, and all programs of a pod have the same user.
    it.skipIf(skipped || type === 'kubernetes' || (type !== 'bubblewrap' && image !== USER_IMAGE))(
      'keeps commands from changing the checks',
      async () => {
        const { fixture, run } = await made();
        const checks = join(fixture, '..', 'checks');
        write(checks, { 'check.sh': 'echo checked\n' });
        const change = 'echo echo forged >"$LLM_TOOL_TEST_CHECKS/check.sh"; sh "$LLM_TOOL_TEST_CHECKS/check.sh"';
        expect((await run(change, { inSandbox: { shown: [], checks } })).stdout).toBe('checked\n');
      },
    );

    it.skipIf(skipped)('shows results to commands that check the work', async () => {
      const { handle, run } = await made();
      const results = join(handle.journal, '..', 'shown');
      await mkdir(join(results, 'artifacts'), { recursive: true });
      await writeFile(join(results, 'artifacts', 'events.jsonl'), '{}\n');
      const seen = sharesHost(handle) ? results : `${handle.root}/results`;
      const inSandbox = { shown: [results] };
      expect((await run(`cat ${seen}/artifacts/events.jsonl`, { inSandbox })).stdout).toBe('{}\n');
      await symlink('events.jsonl', join(results, 'artifacts', 'link'));
      await writeFile(join(results, 'artifacts', 'events.jsonl'), '{}\n{}\n');
      expect((await run(`cat ${seen}/artifacts/events.jsonl`, { inSandbox })).stdout).toBe('{}\n{}\n');
    });
  });
}
