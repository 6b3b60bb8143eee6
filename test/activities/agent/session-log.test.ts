import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  firstRequestOf,
  incompleteAnswer,
  loggedUsage,
  unreportedUsage,
} from '../../../src/activities/agent/session-log.js';
import type { AgentOutput } from '../../../src/activities/agent/outputs.js';
import type { AgentStep } from '../../../src/activities/agent/agent-step.js';
import type { Agent } from '../../../src/agents/agent.js';
import { codex } from '../../../src/agents/codex.js';
import { gemini } from '../../../src/agents/gemini.js';
import { mock } from '../../../src/agents/mock.js';
import { pi } from '../../../src/agents/pi.js';
import { local } from '../../../src/environments/local.js';
import type { FirstRequest } from '../../../src/model/records/agent-work.js';
import { NO_SETTINGS } from '../../agents/requests.js';
import type { LoadedRun, RunAccess } from '../../../src/activities/run/context.js';

const SESSION = '01a2132d-031b-7bb0-be54-404ae2900202';
const captured = (name: string) => new URL(`../../agents/${name}`, import.meta.url).pathname;

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'first-request-'));
  await mkdir(join(root, 'workspace'));
  await mkdir(join(root, 'config/sessions/2026/11/25'), { recursive: true });
  await writeFile(join(root, 'stdout'), `{"type":"thread.started","thread_id":"${SESSION}"}\n`);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const contextOf = (agent: Agent): LoadedRun & RunAccess =>
  ({
    agent,
    environment: local,
    handle: { type: 'local', root, workspace: join(root, 'workspace'), mark: 'first-request-test' },
    config: join(root, 'config'),
    home: join(root, 'home'),
    baseEnv: { PATH: process.env['PATH'] ?? '' },
    redact: (text: string) => text,
  }) as unknown as LoadedRun & RunAccess;
const output = (stdout: string): AgentOutput => ({ start: 1, stdout }) as AgentOutput;
const logAt = (session: string): string =>
  join(root, `config/sessions/2026/11/25/rollout-2026-11-25T14-47-26-${session}.jsonl`);
const found = async (
  agent: Agent,
  stdout = join(root, 'stdout'),
  before: AgentStep[] = [],
): Promise<FirstRequest | undefined> =>
  (await firstRequestOf(contextOf(agent), [output(stdout)], before)).first_request;

describe('the usage of a session that was cut off', () => {
  const each = { input: 9410, output: 50, reasoning: 0, cache_read: 100, cache_write: 0 };

  test('is that of the answers in its log', async () => {
    await copyFile(captured('session-logs/codex.jsonl'), logAt(SESSION));
    const logged = await loggedUsage(contextOf(codex(NO_SETTINGS)), [output(join(root, 'stdout'))]);
    expect(logged).toEqual([each, { ...each, input: 9515 }, { ...each, input: 9610 }]);
  });

  test('is unknown without a log, and with an agent that has none', async () => {
    const session = [output(join(root, 'stdout'))];
    expect(await loggedUsage(contextOf(codex(NO_SETTINGS)), session)).toEqual([]);
    expect(await loggedUsage(contextOf(mock), session)).toEqual([]);
  });

  test('lacks only the answers that its output has not reported', () => {
    const [one, two] = [each, { ...each, input: 9515 }];
    const both = { input: 18925, output: 100, reasoning: 0, cache_read: 200, cache_write: 0 };
    const event = (usage: typeof each) => ({ type: 'usage', ...usage, cost_usd: null });
    expect(unreportedUsage([one, two], [])).toEqual([event(one), event(two)]);
    expect(unreportedUsage([one, two], [one])).toEqual([event(two)]);
    expect(unreportedUsage([one, two], [both])).toEqual([]);
    expect(unreportedUsage([], [both])).toEqual([]);
  });
});

describe('the first request of a session', () => {
  test('is read from the output of the first start, or from the log of its session', async () => {
    expect(await found(pi(NO_SETTINGS), captured('captures/pi-ok.jsonl'))).toEqual({ tokens: 1000 });
    await copyFile(captured('session-logs/codex.jsonl'), logAt(SESSION));
    await writeFile(logAt('another'), '{"type":"token_usage_record","payload":{"usage":{"input_tokens":1}}}\n');
    expect(await found(codex(NO_SETTINGS))).toEqual({ tokens: 9510 });
  });

  test('is unknown, with the reason, if there is no log, or not exactly one', async () => {
    const missing = { tokens: null, unknown: 'the log of its session was not found' };
    expect(await found(codex(NO_SETTINGS))).toEqual(missing);
    await copyFile(captured('session-logs/codex.jsonl'), logAt(SESSION));
    await copyFile(captured('session-logs/codex.jsonl'), logAt(`2-${SESSION}`));
    expect(await found(codex(NO_SETTINGS))).toEqual(missing);
    await rm(join(root, 'config'), { recursive: true });
    expect(await found(codex(NO_SETTINGS))).toEqual(missing);
  });

  test('is not read from a file elsewhere, to which the agent has made a link', async () => {
    await symlink(captured('session-logs/codex.jsonl'), logAt(SESSION));
    expect((await found(codex(NO_SETTINGS)))?.tokens).toBeNull();
  });

  test('is unknown if the session was resumed before its model had answered, for example after a rate limit', async () => {
    const limited = output(captured('captures/pi-rate-limit.jsonl'));
    const served = { ...output(captured('captures/pi-ok.jsonl')), start: 2, resumed: true };
    expect(await firstRequestOf(contextOf(pi(NO_SETTINGS)), [limited, served], [])).toEqual({
      first_request: { tokens: null, unknown: 'its session was resumed before its model had answered' },
    });
  });

  test('is unknown if the model has not answered, or the agent began no session', async () => {
    const silent = { tokens: null, unknown: 'its model has not answered' };
    expect(await found(pi(NO_SETTINGS))).toEqual(silent);
    await writeFile(logAt(SESSION), '');
    expect(await found(codex(NO_SETTINGS))).toEqual(silent);
    await writeFile(join(root, 'stdout'), '{"type":"thread.started","thread_id":"*"}\n');
    expect(await found(codex(NO_SETTINGS))).toEqual({ tokens: null, unknown: 'the agent began no session' });
  });

  test('is that of the first turn, whatever a later one does', async () => {
    const turn = (first_request?: FirstRequest) =>
      ({ record: first_request === undefined ? {} : { first_request } }) as AgentStep;
    const later = captured('captures/pi-ok.jsonl');
    expect(await found(pi(NO_SETTINGS), later, [turn({ tokens: 7 })])).toEqual({ tokens: 7 });
    expect(await found(pi(NO_SETTINGS), later, [turn()])).toBeUndefined();
  });

  test('is absent if the agent does not say', async () => {
    expect(await found(mock)).toBeUndefined();
  });
});

describe('an answer that its model broke off', () => {
  const SESSION_ID = '852e544e-bab1-4fc3-a610-b8c7c1fa46c9';
  const CUT = 'the answer was broken off by a content filter';
  const agent = gemini(NO_SETTINGS);
  const incomplete = (session: string | null = SESSION_ID, of: Agent = agent) =>
    incompleteAnswer(contextOf(of), local, session);
  const log = (): string => join(root, 'config/.gemini/telemetry.log');
  beforeEach(() => mkdir(join(root, 'config/.gemini')));

  test('is found in the log, however much of other records is around it', async () => {
    const other = `{\n  "attributes": {\n    "event.name": "other",\n    "text": "${'x'.repeat(2 ** 20)}"\n  }\n}\n`;
    const records = await readFile(captured('captures/gemini-refusal.log'), 'utf8');
    await writeFile(log(), `${other}\0\xFF\n  "attributes": {\n${records}\n${other}`, 'latin1');
    expect(await incomplete()).toEqual({ type: 'error', message: CUT, retryable: false });
    expect(await incomplete('another-session')).toBeNull();
    expect(await incomplete(null)).toBeNull();
    expect(await incomplete(SESSION_ID, mock)).toBeNull();
  });

  test('is not found without a log, and not in a file elsewhere, to which the agent has made a link', async () => {
    expect(await incomplete()).toBeNull();
    await symlink(captured('captures/gemini-refusal.log'), log());
    expect(await incomplete()).toBeNull();
  });

  test('is not looked for in a log that is too large', async () => {
    await copyFile(captured('captures/gemini-refusal.log'), log());
    await truncate(log(), 256 * 1024 * 1024);
    expect(await incomplete()).toBeNull();
  });
});
