import { describe, expect, it } from 'vitest';
import { expandMatrix, type MatrixChoice, type MatrixScenario } from '../../src/scenario/expand-matrix.js';

type Agents = MatrixScenario['variants'][number]['agents'];

/** A scenario whose variants all name the same agents. */
const scenario = (
  name: string,
  {
    agents = [],
    variants = ['default'],
    ...rest
  }: Partial<Omit<MatrixScenario, 'variants'>> & { agents?: Agents; variants?: string[] } = {},
): MatrixScenario => ({
  name,
  repeat: 1,
  needsAgent: true,
  variants: variants.map((variant) => ({ variant, agents })),
  ...rest,
});

const choice = (rest: Partial<MatrixChoice> = {}): MatrixChoice => ({
  flags: {},
  profile: null,
  agentModels: {},
  ...rest,
});

const ids = (scenarios: MatrixScenario[], rest: Partial<MatrixChoice> = {}) =>
  expandMatrix(scenarios, choice(rest)).cells.map(({ id }) => id);

const twoAgents = scenario('s', {
  agents: [
    { agent: 'a', models: ['m1', 'm2'] },
    { agent: 'b', models: ['default'] },
  ],
});

describe('expandMatrix', () => {
  it('splits a cell into its parts', () => {
    expect(expandMatrix([twoAgents], choice()).cells[0]).toEqual({
      id: 's/a/m1/default/1',
      scenario: 's',
      agent: 'a',
      model: 'm1',
      variant: 'default',
      repetition: 1,
    });
  });

  it('orders by scenario, agent, model, repetition', () => {
    const repeated = { ...twoAgents, name: 't', repeat: 2 };
    expect(ids([twoAgents, repeated])).toEqual([
      's/a/m1/default/1',
      's/a/m2/default/1',
      's/b/default/default/1',
      't/a/m1/default/1',
      't/a/m1/default/2',
      't/a/m2/default/1',
      't/a/m2/default/2',
      't/b/default/default/1',
      't/b/default/default/2',
    ]);
  });

  it('runs each agent and model in each variant', () => {
    const varied = scenario('s', {
      agents: [{ agent: 'a', models: ['m1', 'm2'] }],
      variants: ['plain', 'with guide'],
    });
    expect(ids([varied])).toEqual([
      's/a/m1/plain/1',
      's/a/m2/plain/1',
      's/a/m1/with%20guide/1',
      's/a/m2/with%20guide/1',
    ]);
  });

  it('percent-encodes the parts of an id', () => {
    expect(ids([scenario('a b/c')], { flags: { agents: ['x'], models: ['anthropic/opus'] } })).toEqual([
      'a%20b%2Fc/x/anthropic%2Fopus/default/1',
    ]);
  });

  it('lets --agents replace the tool matrix', () => {
    expect(ids([twoAgents], { flags: { agents: ['c'] } })).toEqual(['s/c/default/default/1']);
  });

  it('applies --models to the agents of the tool matrix, or of the profile', () => {
    const profile = { agents: ['p'], models: ['x'] };
    expect(ids([twoAgents, scenario('t')], { flags: { models: ['m9'] }, profile })).toEqual([
      's/a/m9/default/1',
      's/b/m9/default/1',
      't/p/m9/default/1',
    ]);
  });

  it('prefers --repeat to the scenario', () => {
    expect(ids([{ ...scenario('s'), repeat: 3 }], { flags: { agents: ['a'], repeat: 1 } })).toHaveLength(1);
  });

  it('prefers the tool matrix to the profile, and the profile to the config', () => {
    const rest = { profile: { agents: ['p'], models: ['pm'] }, agentModels: { p: ['cm'], a: ['cm'] } };
    expect(ids([twoAgents, scenario('t')], rest)).toEqual([
      's/a/m1/default/1',
      's/a/m2/default/1',
      's/b/default/default/1',
      't/p/pm/default/1',
    ]);
    expect(ids([scenario('t')], { ...rest, profile: { agents: ['p'], models: [] } })).toEqual(['t/p/cm/default/1']);
    expect(ids([scenario('t')], { flags: { agents: ['constructor'] } })).toEqual(['t/constructor/default/default/1']);
  });

  it('runs each variant with the agents and models that it names itself', () => {
    const of = (model: string): Agents => [{ agent: 'a', models: [model] }];
    const variants = [
      { variant: 'v', agents: of('m1') },
      { variant: 'w', agents: of('m2') },
    ];
    expect(ids([{ ...scenario('s'), variants }])).toEqual(['s/a/m1/v/1', 's/a/m2/w/1']);
    expect(ids([{ ...scenario('s'), variants }], { flags: { models: ['m'] } })).toEqual(['s/a/m/v/1', 's/a/m/w/1']);
  });

  it('names a scenario without an agent once, however many variants it has', () => {
    const variants = ['v', 'w'];
    expect(expandMatrix([scenario('s', { variants })], choice()).withoutAgent).toEqual(['s']);
  });

  it('drops a pair that is named twice', () => {
    const twice = scenario('s', {
      agents: [
        { agent: 'a', models: ['m', 'm'] },
        { agent: 'a', models: ['m'] },
      ],
    });
    expect(ids([twice])).toEqual(['s/a/m/default/1']);
    expect(ids([scenario('s')], { flags: { agents: ['a', 'a'] } })).toEqual(['s/a/default/default/1']);
  });

  it('runs a scenario with mock steps with the mock if no agent is named', () => {
    const mock = { steps: [{ say: 'hello' }] };
    expect(ids([scenario('s', { mock })])).toEqual(['s/mock/default/default/1']);
    expect(ids([scenario('s', { mock })], { flags: { agents: ['a'] } })).toEqual(['s/a/default/default/1']);
    expect(ids([{ ...twoAgents, mock }])).not.toContain('s/mock/default/default/1');
  });

  it('falls back to the default agent if flag, tool matrix and profile name none', () => {
    const rest = { defaultAgents: ['d'], agentModels: { d: ['dm'] } };
    expect(ids([scenario('s'), twoAgents], rest)).toEqual([
      's/d/dm/default/1',
      's/a/m1/default/1',
      's/a/m2/default/1',
      's/b/default/default/1',
    ]);
    expect(ids([scenario('s')], { ...rest, flags: { agents: ['f'] } })).toEqual(['s/f/default/default/1']);
    expect(ids([scenario('s')], { ...rest, profile: { agents: ['p'], models: [] } })).toEqual([
      's/p/default/default/1',
    ]);
    const mock = { steps: [{ say: 'hello' }] };
    expect(ids([scenario('s', { mock })], rest)).toEqual(['s/d/dm/default/1']);
  });

  it('makes one cell for each variant and repetition of a scenario in which no agent takes part', () => {
    const alone = scenario('s', { needsAgent: false, repeat: 2, variants: ['v', 'w'] });
    expect(ids([alone], { flags: { agents: ['a', 'b'], models: ['m'] } })).toEqual([
      's/none/none/v/1',
      's/none/none/v/2',
      's/none/none/w/1',
      's/none/none/w/2',
    ]);
    expect(expandMatrix([alone], choice()).withoutAgent).toEqual([]);
  });

  it('reports the scenarios that name no agent', () => {
    const scenarios = [scenario('none'), twoAgents, scenario('idle', { mock: { steps: [] } })];
    const { cells, withoutAgent } = expandMatrix(scenarios, choice({ flags: { agents: [], models: ['m'] } }));
    expect(withoutAgent).toEqual(['none', 'idle']);
    expect(cells).toHaveLength(2);
  });
});
