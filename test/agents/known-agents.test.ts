import { describe, expect, it } from 'vitest';
import type { Agent, AgentSettings } from '../../src/agents/agent.js';
import { adapterNames, adaptersWith, knownAgents } from '../../src/agents/known-agents.js';
import { NO_SETTINGS, REQUEST } from './requests.js';

const MODEL: Record<string, string> = { 'claude-code': 'claude-sonnet-4-5', gemini: 'gemini-2.5-pro' };
const agentOf = (name: string, settings: Partial<AgentSettings>): Agent => {
  const agent = knownAgents({ [name]: { ...NO_SETTINGS, ...settings } }).get(name);
  if (agent === undefined) throw new Error(`there is no agent ${name}`);
  return agent;
};
const launched = (agent: Agent, adapter: string) => {
  const host = { character: null, folder: '/f', reads: [], setup: null, variables: {} };
  const hosted = agent.isHosted === true ? (host as never) : null;
  const request = { ...REQUEST, model: MODEL[adapter] ?? 'openai/gpt-5.5', hosted };
  return [agent.launch(request), agent.resume?.(request, 'the-session') ?? null];
};

describe('a built-in agent under another name', () => {
  it.each(adapterNames)('%s differs from itself in nothing but its name', (adapter) => {
    const settings = { models: ['m'], env: { A: 'b' }, ...(adapter === 'loop' ? {} : { args: ['--more'] }) };
    const [alias, own] = [agentOf('fast', { ...settings, adapter }), agentOf(adapter, settings)];
    expect(Object.keys(alias)).toEqual(Object.keys(own));
    const data = (agent: Agent): unknown =>
      JSON.parse(JSON.stringify({ ...agent, parser: agent.parser.name, reader: agent.firstRequest?.reader.name }));
    expect(data(alias)).toEqual({ ...(data(own) as object), name: 'fast' });
    expect(own).toMatchObject({ name: adapter, adapter });
    expect(launched(alias, adapter)).toEqual(launched(own, adapter));
    for (const model of ['default', 'openai/gpt-5.5', 'anthropic/claude-sonnet-4-5', 'x'])
      expect([alias.provider(model), alias.modelProblem(model)]).toEqual([
        own.provider(model),
        own.modelProblem(model),
      ]);
    const end = { exitCode: 1, stopped: null, at: 0, result: null, error: null, stderr: 'HTTP 401' };
    expect(alias.classify(end)).toEqual(own.classify(end));
  });

  it('stands beside that agent, each with settings of its own', () => {
    const known = knownAgents({
      'claude-old': { ...NO_SETTINGS, adapter: 'claude-code', command: '/old/claude', models: ['a'] },
      'claude-code': { ...NO_SETTINGS, models: ['b'] },
    });
    const of = (name: string) => [known.get(name)?.program, known.get(name)?.models, known.get(name)?.version?.[0]];
    expect(of('claude-old')).toEqual(['/old/claude', ['a'], '/old/claude']);
    expect(of('claude-code')).toEqual(['claude', ['b'], 'claude']);
  });
});

describe('settings in the words of the agent', () => {
  const argvOf = (adapter: string, settings: Partial<AgentSettings>): string => {
    const agent = agentOf('fast', { adapter, ...settings });
    const model = MODEL[adapter] ?? 'openai/gpt-5.5';
    const { argv, files } = agent.launch({ ...REQUEST, model });
    return [...argv, ...files.map(({ content }) => content)].join('\n');
  };

  it.each([
    ['claude-code', '--effort\nhigh'],
    ['codex', 'model_reasoning_effort = "high"'],
    ['opencode', '--variant\nhigh'],
    ['pi', '--thinking\nhigh'],
  ])('tell %s how long its model thinks', (adapter, words) => {
    expect(argvOf(adapter, { effort: 'high' })).toContain(words);
    expect(argvOf(adapter, {})).not.toContain(words.split(/[\n ]/)[0]);
  });

  it.each([
    ['claude-code', '--permission-mode\nplan', 'bypassPermissions'],
    ['codex', '--sandbox\nplan', '--dangerously-bypass-approvals-and-sandbox'],
    ['gemini', '--approval-mode\nplan', 'yolo'],
  ])('tell %s what it may do, in place of everything', (adapter, words, everything) => {
    expect(argvOf(adapter, { mode: 'plan' })).toContain(words);
    expect(argvOf(adapter, { mode: 'plan' })).not.toContain(everything);
    expect(argvOf(adapter, {})).toContain(everything);
  });

  it('are those of the table of the documentation', () => {
    expect(adaptersWith('effort').sort()).toEqual(['claude-code', 'codex', 'loop', 'opencode', 'pi']);
    expect(adaptersWith('auth').sort()).toEqual(['claude-code', 'codex', 'gemini', 'opencode', 'pi']);
    expect(adaptersWith('free').sort()).toEqual(['eliza', 'loop']);
  });
});
