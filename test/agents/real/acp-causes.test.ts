import { expect, it } from 'vitest';
import { acpAgent } from '../../../src/agents/acp/acp.js';
import { presetOf } from '../../../src/agents/acp/presets.js';
import { ACP_CLI_NAMES, acpCli, type AcpCliName } from '../acp-clis.js';
import type { Cause, Expected } from '../causes.js';
import type { ScriptInput } from '../model-server/script.js';
import { ofType, usageOf } from '../read-capture.js';
import { NO_SETTINGS } from '../requests.js';
import { endOf } from './end-of.js';

interface AcpCause extends Cause {
  /** The ends of agents that tell less. */
  unless?: Partial<Record<AcpCliName, Expected>>;
}

const work = { run: 'echo hello > out.txt' };
const done = { say: 'It is done.' };
const failing = (...faults: NonNullable<ScriptInput['faults']>): ScriptInput => ({ steps: [work, done], faults });
const stopping = (stop: 'length' | 'refusal'): ScriptInput => ({ steps: [work, { say: 'It is a long', stop }] });

/** The columns of the table in specs/reference/agents.md, "Agents over ACP". */
const MATRIX: Readonly<Record<string, AcpCause>> = {
  works: {
    script: { steps: [work, { run: 'cat missing.txt' }, { run: 'exit 3' }, done] },
    expected: ['done', null],
  },
  key: { script: failing({ error: 'bad_key' }), expected: ['unable', null] },
  busy: { script: failing({ error: 'rate_limit', step: 1 }), expected: ['unable', 'busy'] },
  server: { script: failing({ error: 'server_error', step: 1 }), expected: ['unable', 'busy'] },
  refusal: {
    script: stopping('refusal'),
    expected: ['unable', null],
    unless: { hermes: ['unable', 'busy'] },
  },
  length: {
    script: stopping('length'),
    expected: ['gave_up', null],
    unless: { hermes: ['unable', 'busy'] },
  },
  killed: {
    script: { steps: [{ run: 'echo hello > out.txt; sleep 60' }, done] },
    kills: true,
    expected: ['unable', 'killed'],
  },
};

/** The tokens that agents report of 4 requests: each has 1000, and 100 from a cache, and 50 for the answer. */
const TOKENS: Partial<Record<AcpCliName, object>> = {
  gemini: { input: 4400, output: 200 },
  opencode: { input: 1000, output: 50, cache_read: 100 },
  kimi: { input: null },
  'fast-agent': { input: null },
};

it.each(Object.entries(MATRIX))('real agents over ACP end as expected by the cause %s', async (causeName, cause) => {
  const provided = await Promise.all(
    ACP_CLI_NAMES.map(async (name) => ({ name, command: await acpCli(name).provide() })),
  );
  const expectedOf = (name: AcpCliName): Expected => cause.unless?.[name] ?? cause.expected;
  const ends = await Promise.all(
    provided.map(async ({ name, command }) => {
      if (command === null) return { name, end: expectedOf(name), message: 'not run: there is no Python 3.12' };
      const agent = acpAgent(name, presetOf(name), { ...NO_SETTINGS, command });
      const { classified, events, isUsagePending } = await endOf({
        ...{ agent, causeName, cause, model: acpCli(name).model },
        expected: expectedOf(name),
      });
      const { ending, again, message } = classified;
      if (causeName === 'works') {
        const codes = ofType(events, 'tool_result').map(({ exit_code }) => exit_code);
        const all = acpCli(name).codes ? [0, 1, 3] : codes.map(() => null);
        const tokens = TOKENS[name] ?? { input: 4000, output: 200, cache_read: 400 };
        expect({ name, codes, usage: usageOf(events) }).toMatchObject({ name, codes: all, usage: tokens });
        expect([name, isUsagePending]).toEqual([name, ['opencode', 'kimi', 'vibe', 'fast-agent'].includes(name)]);
      }
      return { name, end: [ending, again?.why ?? null] as const, message };
    }),
  );
  for (const { name, end, message } of ends)
    console.log(`${causeName.padEnd(8)} ${name.padEnd(10)} ${end.join(' ').padEnd(16)} ${message}`);
  expect(ends.map(({ name, end }) => [name, ...end])).toEqual(ends.map(({ name }) => [name, ...expectedOf(name)]));
});
