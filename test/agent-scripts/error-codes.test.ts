import { createServer } from 'node:http';
import { mkdir, rm, symlink } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { privateCopy, type PrivateCopy } from './private-copy.js';
import { readmeOf, scriptNames } from './readme.js';

/** Creates the situation for an error code, and returns the arguments that lead to the error. */
type Provocation = (copy: PrivateCopy) => Promise<string[]> | string[];

const words =
  (...given: string[]): Provocation =>
  () =>
    given;

/** Writes files, and returns the arguments. */
const files =
  (contents: Record<string, string>, ...given: string[]): Provocation =>
  async ({ write }) => {
    for (const [path, content] of Object.entries(contents)) await write(path, content);
    return given;
  };

const removed =
  (path: string, ...given: string[]): Provocation =>
  async ({ folder }) => {
    await rm(join(folder, path), { recursive: true });
    return given;
  };

/** Replaces a file by a folder, which cannot be read or written as a file. */
const folderAt =
  (path: string, ...given: string[]): Provocation =>
  async ({ folder }) => {
    await rm(join(folder, path), { force: true });
    await mkdir(join(folder, path));
    return given;
  };

const answering =
  (status: number, body: string): Provocation =>
  async () => {
    const server = createServer((_, response) => response.writeHead(status).end(body)).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    return ['--address', `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
  };

const unreachable: Provocation = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return ['--address', `http://127.0.0.1:${port}`];
};

const stateOf = (current: string | null, status: string): Record<string, string> => ({
  '.tasks/state.json': JSON.stringify({ current, status, last_verified: null }),
});

/** The errors that every script for tasks can give; `given` are its own arguments. */
const ofFolder = (...given: string[]): Record<string, Provocation> => ({
  DIR_NOT_FOUND: removed('.tasks', ...given),
  NOT_A_DIRECTORY: async (copy) => {
    await removed('.tasks')(copy);
    return files({ '.tasks': 'a file' }, ...given)(copy);
  },
});
const ofTasks = (...given: string[]): Record<string, Provocation> => ({
  ...ofFolder(...given),
  NO_TASKS_FOUND: async (copy) => {
    await removed('.tasks')(copy);
    return files({ '.tasks/README.md': 'no task', ...stateOf('1', 'done') }, ...given)(copy);
  },
  DUPLICATE_NUMBER: files({ '.tasks/1.0-again.md': '' }, ...given),
});
const ofState = (...given: string[]): Record<string, Provocation> => ({
  READ_ERROR: folderAt('.tasks/state.json', ...given),
  STATE_PARSE_ERROR: files({ '.tasks/state.json': '{"current": 1' }, ...given),
});
const ofWriting = (...given: string[]): Record<string, Provocation> => ({
  WRITE_ERROR: folderAt('.tasks/state.json.new', ...given),
});

const server = (code: string, ...given: string[]): Provocation =>
  files({ '.agents/scripts/define-word/server.ts': code }, 'gate', ...given);

const provocations: Record<string, Record<string, Provocation>> = {
  'check-coverage': {
    MISSING_ARGUMENT: words(),
    INVALID_ARGUMENT: words('a.c', 'b.c'),
    INVALID_CONFIG: files({ '.agents/config.json': '{"check-coverage": {"fil": "x"}}' }, 'config.c'),
    COVERAGE_NOT_FOUND: removed('coverage/coverage.info', 'config.c'),
    COVERAGE_EMPTY: files({ 'coverage/coverage.info': 'TN:\n' }, 'config.c'),
    FILE_NOT_COVERED: words('onfig.c'),
    AMBIGUOUS_FILE: words('main.c'),
  },
  'define-word': {
    MISSING_ARGUMENT: words(),
    INVALID_ARGUMENT: words('gate', '--timeout-secs', '0'),
    WORD_NOT_FOUND: words('suite'),
    MCP_UNAVAILABLE: server('throw new Error("no words today")'),
    MCP_ERROR: server(`
      const error = { code: -32603, message: 'broken' };
      for await (const _ of Deno.stdin.readable) console.log(JSON.stringify({ jsonrpc: '2.0', id: 1, error }));`),
    MCP_TIMEOUT: server('setInterval(() => {}, 1000)', '--timeout-secs', '0.5'),
  },
  'open-workflows': {
    INVALID_ARGUMENT: words('--limit', '0'),
    INVALID_CONFIG: files({ '.agents/config.json': '[' }),
    SERVICE_UNREACHABLE: unreachable,
    HTTP_ERROR: answering(503, 'later'),
    BAD_RESPONSE: answering(200, '<html>'),
  },
  'task-list': {
    MISSING_ARGUMENT: words(),
    INVALID_ARGUMENT: words('.tasks', '0'),
    ...ofTasks('.tasks'),
    READ_ERROR: async ({ folder }) => {
      await symlink('itself', join(folder, '.tasks/itself'));
      return ['.tasks/itself'];
    },
    START_TASK_NOT_FOUND: words('.tasks', '5', '1.0'),
  },
  'task-next': {
    INVALID_ARGUMENT: words('.tasks', '1'),
    ...ofTasks(),
    ...ofState(),
    STATE_FILE_NOT_FOUND: removed('.tasks/state.json'),
    CURRENT_TASK_NOT_FOUND: files(stateOf('7', 'in_progress')),
  },
  'task-start': {
    MISSING_ARGUMENT: words(),
    INVALID_ARGUMENT: words('first'),
    ...ofTasks('1'),
    ...ofState('1'),
    ...ofWriting('1'),
    TASK_NOT_FOUND: words('3'),
    ALREADY_IN_PROGRESS: files(stateOf('1', 'in_progress'), '1'),
    AWAITING_VERIFICATION: files(stateOf('1', 'done'), '1.1'),
    INVALID_TRANSITION: words('2'),
    CURRENT_TASK_NOT_FOUND: files(stateOf('1.5', 'pending'), '1'),
  },
  'task-done': {
    INVALID_ARGUMENT: words('--all'),
    ...ofFolder(),
    ...ofState(),
    ...ofWriting(),
    STATE_FILE_NOT_FOUND: removed('.tasks/state.json'),
    INVALID_TRANSITION: files(stateOf('1', 'done')),
  },
  'task-verify': {
    INVALID_ARGUMENT: words('a', 'b'),
    ...ofTasks(),
    ...ofState(),
    ...ofWriting(),
    STATE_FILE_NOT_FOUND: removed('.tasks/state.json'),
    INVALID_TRANSITION: files(stateOf('1', 'in_progress')),
  },
};

test('tries the errors of every script', () => {
  expect(Object.keys(provocations).toSorted()).toEqual(scriptNames.toSorted());
});

describe.each(Object.entries(provocations))('%s', (name, ofScript) => {
  test('documents exactly the errors that are tried here', () => {
    expect(readmeOf(name).codes.toSorted()).toEqual(Object.keys(ofScript).toSorted());
  });

  test.each(Object.entries(ofScript))('answers %s', async (code, provoke) => {
    const copy = await privateCopy(name);
    const { document } = await copy.script(name, ...(await provoke(copy)));
    expect(document).toEqual({ success: false, error: expect.stringMatching(/\S/) as string, code });
  });
});
