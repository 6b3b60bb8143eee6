import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { local } from '../../src/environments/local.js';
import { startFiles, startFolder } from '../../src/environments/journal.js';
import { processesWith, running } from '../host/processes.js';
import { killed, PATH, prepared } from './places.js';

describe('running a command', () => {
  it('happens in the workspace, with the given variables and the mark of the run', async () => {
    const { handle } = await prepared();
    const { stdout } = await local.exec(handle, {
      command: 'pwd; cat /proc/$$/environ',
      env: { PATH, A: 'a' },
      timeoutSecs: 10,
    });
    const [cwd, environment = ''] = stdout.split('\n');
    expect(cwd).toBe(handle.workspace);
    expect(environment.split('\0').filter(Boolean).sort()).toEqual([
      'A=a',
      `LLM_TOOL_TEST_RUN=${handle.mark}`,
      `PATH=${PATH}`,
    ]);
  });

  it('ends at its timeout', async () => {
    const { handle, seconds } = await prepared();
    const result = await local.exec(handle, { command: `sleep ${seconds}`, env: { PATH }, timeoutSecs: 0.3 });
    expect(result).toMatchObject({ timedOut: true, exitCode: null });
  });
});

describe('the agent', () => {
  it('gets its prompt on stdin, and leaves its output when it ends', async () => {
    const { handle } = await prepared();
    const request = {
      start: 1,
      argv: ['sh', '-c', 'cat; pwd; echo err >&2; exit 4'],
      env: { PATH },
      stdin: 'prompt é\n',
      files: [],
      deadlineSecs: 60,
      idleSecs: null,
    };
    await local.start(handle, request);
    expect(await local.inspect(handle, 1, AbortSignal.timeout(120_000))).toEqual({
      state: 'ended',
      exitCode: 4,
      stopped: null,
    });
    const { stdout, stderr } = startFiles(handle, 1);
    expect([readFileSync(stdout, 'utf8'), readFileSync(stderr, 'utf8')]).toEqual([
      `prompt é\n${handle.workspace}\n`,
      'err\n',
    ]);
    expect(await local.inspect(handle, 2)).toEqual({ state: 'none' });
    expect(
      spawnSync('stat', ['-c', '%a', startFolder(handle, 1), join(startFolder(handle, 1), 'in')], {
        encoding: 'utf8',
      }).stdout,
    ).toBe('700\n600\n');
  });

  it('is ended on request', async () => {
    const { handle, seconds } = await prepared();
    const argv = ['sh', '-c', `trap '' TERM; setsid sleep ${seconds} & sleep ${seconds}`];
    await local.start(handle, {
      start: 1,
      argv,
      env: { PATH },
      stdin: '',
      files: [],
      deadlineSecs: 600,
      idleSecs: null,
    });
    await running(`sleep\0${seconds}`, 2);
    expect(await killed(local, handle)).toMatchObject({ state: 'ended', stopped: 'cancel' });
    expect(processesWith(seconds)).toEqual([]);
  });
});
