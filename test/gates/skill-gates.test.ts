import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkedUse, GateSpec } from '../../src/gates/all-gates.js';
import { NO_USAGE } from '../../src/model/records/token-usage.js';
import type { Trajectory } from '../../src/model/transcript/trajectory.js';
import { newFolder } from '../host/temporary.js';
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

describe('a skill of a plugin', () => {
  const names = ['office:stamp', 'office:seal'];
  it.each([
    ['skill_used', 'skill_not_used'],
    ['skill_not_used', 'skill_used'],
  ])('is known by its whole name, so that %s decides by that', async (type, other) => {
    const gate = { type, skill: 'office:stamp' };
    const isWanted = type === 'skill_used';
    expect(await after(gate, { skills: { stamp: 1, 'office:stamp': 1 } }, names)).toMatch(isWanted ? /^pass/ : /^fail/);
    expect(await after(gate, { skills: { 'office:seal': 1, 'other:stamp': 1 } }, names)).toMatch(
      isWanted ? /^fail/ : /^pass/,
    );
    // The skill may be that of another plugin, or one of the agent's own.
    for (const one of [type, other])
      expect(await after({ ...gate, type: one }, { skills: { stamp: 1 } }, names)).toBe(
        'error: the agent used "stamp", but not by a name that says of which plugin it is',
      );
    expect(await after(gate, { skills: { stamp: 1 } }, [...names, 'stamp'])).toMatch(isWanted ? /^fail/ : /^pass/);
  });
});

describe('subagent_used', () => {
  const gate = { type: 'subagent_used', subagent: 'office:reviewer' };
  it('passes only if that subagent started', async () => {
    expect(await after(gate, { subagents: { 'office:reviewer': 2 } })).toBe(
      'pass: the subagent "office:reviewer" started 2 times',
    );
    expect(await after(gate, {})).toBe('fail: the subagent "office:reviewer" did not start');
    expect(await after(gate, { tools: { Agent: 1 }, subagents: { reviewer: 1 } })).toBe(
      'fail: the subagent "office:reviewer" did not start; "reviewer" did',
    );
    expect(await after(gate, { unseen: { calls: 'lines are missing' } })).toMatch(/^error: .*lines are missing/);
  });
});

describe('hook_ran', () => {
  const gate = { type: 'hook_ran', hook: 'PostToolUse' };
  const worked = { worked: 2, failed: 0, failure: '' };
  const failed = { worked: 0, failed: 1, failure: 'exit code 127: not found' };
  it('passes only if a hook of that event did its work', async () => {
    expect(await after(gate, { hooks: { 'PostToolUse:Bash': worked } })).toBe(
      'pass: a hook of "PostToolUse" ran 2 times',
    );
    expect(await after({ ...gate, hook: 'PostToolUse:Bash' }, { hooks: { 'PostToolUse:Bash': worked } })).toMatch(
      /^pass/,
    );
    expect(await after({ ...gate, hook: 'PostToolUse:Write' }, { hooks: { 'PostToolUse:Bash': worked } })).toBe(
      'fail: no hook of "PostToolUse:Write" ran; "PostToolUse:Bash" did',
    );
    expect(await after({ ...gate, hook: 'PostTool' }, { hooks: { 'PostToolUse:Bash': worked } })).toMatch(/^fail/);
    expect(await after(gate, { hooks: { 'PostToolUse:Bash': failed } })).toBe(
      'fail: a hook of "PostToolUse" failed 1 time: exit code 127: not found',
    );
    expect(await after(gate, { hooks: {} })).toBe('fail: no hook of "PostToolUse" ran');
  });
  it('is an error if the workspace has hooks of its own, which look the same', async () => {
    const folder = await newFolder();
    const trajectory = { ...nothing, hooks: { 'PostToolUse:Bash': worked } };
    const statusIn = async () => (await check(gate, realContext(folder, { trajectory }))).status;
    await mkdir(join(folder, '.claude'));
    await writeFile(join(folder, '.claude/settings.json'), '{"permissions": {}}');
    expect(await statusIn()).toBe('pass');
    await writeFile(join(folder, '.claude/settings.local.json'), '{"hooks": {}}');
    expect(await statusIn()).toBe('error');
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
