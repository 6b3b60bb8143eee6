import { describe, expect, it } from 'vitest';
import { checkedUse, GateSpec } from '../../src/gates/all-gates.js';
import { NO_USAGE } from '../../src/model/records/token-usage.js';
import type { Trajectory } from '../../src/model/transcript/trajectory.js';
import { check, realContext } from './real-context.js';

const nothing: Trajectory = {
  commands: [],
  commandCount: 0,
  structured: true,
  tools: {},
  skills: {},
  actions: [],
  mcp: { calls: [], callCount: 0, problems: [] },
  answer: null,
  tokens: NO_USAGE,
  costUsd: null,
};
const after = async (gate: object, did: Partial<Trajectory> | null, skills = ['pdf', 'csv']) => {
  const trajectory = did === null ? null : { ...nothing, ...did };
  const { status, message } = await check(gate, realContext('/nowhere', { trajectory, skills }));
  return `${status}: ${message}`;
};
const used = { type: 'skill_used', skill: 'pdf' };
const notUsed = { type: 'skill_not_used', skill: 'pdf' };

describe('skill_used', () => {
  it('passes only if the agent used that skill', async () => {
    expect(await after(used, { skills: { pdf: 2 } })).toBe('pass: the agent used "pdf" 2 times');
    expect(await after(used, {})).toBe('fail: the agent did not use "pdf"; it used no skill');
    expect(await after(used, { skills: { csv: 1 } })).toBe('fail: the agent did not use "pdf"; it used "csv"');
  });
  it('takes any skill of the subject if it names none, and no other skill', async () => {
    expect(await after({ type: 'skill_used' }, { skills: { csv: 1 } })).toBe('pass: the agent used "csv" 1 time');
    expect(await after({ type: 'skill_used' }, { skills: { bundled: 1 } })).toBe(
      'fail: the agent did not use "pdf" or "csv"; it used "bundled"',
    );
  });
});

describe('skill_not_used', () => {
  it('passes only if the agent did not use that skill', async () => {
    expect(await after(notUsed, { skills: { csv: 1 } })).toBe('pass: the agent did not use "pdf"');
    expect(await after(notUsed, { skills: { pdf: 1 } })).toBe('fail: the agent used "pdf" 1 time; expected not to');
    expect(await after({ type: 'skill_not_used' }, { skills: { csv: 1 } })).toMatch(/^fail/);
  });
});

describe.each(['skill_used', 'skill_not_used'])('%s', (type) => {
  it('is about the skill in its field `skill`, or about any skill', () => {
    const useOf = (gate: object) => checkedUse(GateSpec.parse(gate));
    expect(useOf({ type, skill: 'pdf' })).toEqual({ kind: 'skill', name: 'pdf', field: 'skill' });
    expect(useOf({ type })).toEqual({ kind: 'skill', name: null, field: 'skill' });
  });
});

describe.each([used, notUsed, { type: 'skill_used' }, { type: 'skill_not_used' }])('$type fails closed', (gate) => {
  it('where the output of the agent cannot tell', async () => {
    expect(await after(gate, null)).toMatch(/^error: .*not recorded/);
    expect(await after(gate, { structured: false })).toMatch(/^error: .*its use of skills is unknown/);
    expect(await after(gate, { unread: true })).toMatch(/^error: .*not all of its output could be read/);
  });
});
