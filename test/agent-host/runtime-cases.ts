import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eliza } from '../../src/agents/hosted.js';
import { Mock } from '../../src/mocks/mock.js';
import type { RuntimeDatabase, RuntimeSetup } from '../../src/agent-host/runtime.js';
import { createTrajectoryCollector } from '../../src/model/transcript/trajectory.js';
import { runHost, writeFiles, type HostEnd, type HostTurn } from './run-host.js';
import { EXTRA_PLUGIN } from './scripted-plugin.js';

/** Where a runtime is tested. */
export interface RuntimePlace {
  /** Returns a new folder with `@elizaos/core` and `plugin.mjs`. */
  folder: () => Promise<string>;
  /** The Node that runs the host. */
  node: () => Promise<string>;
  /** Plugins besides the scripted one. */
  plugins: string[];
}

const agent = eliza({ args: [], models: [], env: {} });

const plugin = (name: string, config: RuntimeSetup['plugins'][number]['config'] = {}) => ({
  name,
  config,
  enabled: true,
});

const EMPTY: RuntimeDatabase = { entities: [], memories: [], relationships: [], cache: {} };

/** Checks that hold for every version of `@elizaos/core`, and for its stand-in. */
export function testRuntime({ folder: newFolder, node, plugins }: RuntimePlace): void {
  const play = async (
    script: Record<string, string>,
    turn: HostTurn & {
      database?: RuntimeDatabase;
      folder?: string;
      plugins?: RuntimeSetup['plugins'];
      character?: Exclude<RuntimeSetup['character'], string | null>;
    } = {},
  ): Promise<HostEnd> => {
    const { database, folder = await newFolder(), plugins: others = [], character = {}, ...more } = turn;
    await writeFiles(folder, { 'extra.mjs': EXTRA_PLUGIN });
    const setup: RuntimeSetup = {
      character: {
        name: 'Ada',
        bio: 'Keeps the stock.',
        settings: { GREETING: '${GREETING}' },
        ...character,
      },
      plugins: [...plugins.map((name) => plugin(name)), plugin('./plugin.mjs', script), ...others],
      ...(database === undefined ? {} : { database }),
    };
    return runHost(agent, folder, { node: await node(), setup, ...more });
  };
  const mock = (fields: object) => Mock.parse({ service: 'stock', method: 'count', ...fields });

  test('performs an action with a service, and reports thought, action and reply', async () => {
    const { events, actions, replies, ending, stderr } = await play(
      { actions: 'CHECK_STOCK', text: 'not said' },
      { variables: { GREETING: 'good morning' } },
    );
    expect(replies).toEqual(['There are 3 pieces']);
    expect(actions).toEqual([['CHECK_STOCK', false]]);
    expect(events).toContainEqual({ type: 'reasoning', text: 'I know what to do' });
    expect(ending.ending).toBe('done');
    // The output of a plugin is not taken for an event.
    expect(stderr).toContain('not from the agent');
    expect(stderr).toContain('setting good morning');
  });

  test("asks a plugin's model with the temperature of the character", async () => {
    const asked = await play({ text: 'Hello.' }, { character: { llm: { model: 'x/y', temperature: 0.3 } } });
    expect(asked.stderr).toContain('temperature 0.3');
    expect((await play({ text: 'Hello.' })).stderr).not.toContain('temperature 0.3');
  });

  test('reports a simple reply as the action REPLY', async () => {
    const { actions, replies } = await play({ text: 'Hello.' });
    expect(replies).toEqual(['Hello.']);
    expect(actions).toEqual([['REPLY', false]]);
  });

  test('reports an action that throws, and one that does not exist, as failed', async () => {
    const thrown = await play({ actions: 'EXPLODE' });
    expect(thrown.actions).toEqual([['EXPLODE', true]]);
    expect(thrown.ending).toMatchObject({ ending: 'gave_up', message: 'action EXPLODE failed: boom' });
    const unknown = await play({ actions: 'CHECK_STOCK,FLY_AWAY' });
    expect(unknown.actions).toEqual([
      ['CHECK_STOCK', false],
      ['FLY_AWAY', true],
    ]);
  });

  test('tells executed actions from those that the model only names', async () => {
    const named = async (actions: string, plugins: RuntimeSetup['plugins'] = []) => {
      const { events } = await play({ actions }, { plugins });
      const trajectory = createTrajectoryCollector();
      for (const event of events) trajectory.add(event);
      const { tools, unexecuted = {} } = trajectory.end(() => []);
      return { tools, unexecuted };
    };
    const extra = (enabled: boolean) => [{ ...plugin('./extra.mjs'), enabled }];
    expect(await named('DANCE', extra(true))).toEqual({ tools: { DANCE: 1 }, unexecuted: {} });
    expect(await named('DANCE', extra(false))).toEqual({ tools: {}, unexecuted: { DANCE: 1 } });
    expect(await named('UNFINISHED', extra(true))).toEqual({ tools: {}, unexecuted: { UNFINISHED: 1 } });
    expect(await named('check_stock,FLY_AWAY,explode')).toEqual({
      tools: { CHECK_STOCK: 1, EXPLODE: 1 },
      unexecuted: { FLY_AWAY: 1 },
    });
  });

  test('takes no message of a plugin for an action', async () => {
    const { events, replies } = await play({ text: 'Hello.' }, { plugins: [plugin('./extra.mjs')] });
    expect(replies).toEqual(['Hello.', 'By the way']);
    expect(events.flatMap((one) => (one.type === 'tool_call' ? [one.name] : []))).toEqual(['REPLY']);
  });

  test('says so if the agent did not reply', async () => {
    const { replies, events, ending } = await play({ actions: 'FLY_AWAY', text: 'lost' });
    expect(replies).toEqual([]);
    expect(events).toContainEqual({
      type: 'message',
      role: 'system',
      text: 'the agent did not reply: no action delivered the text of its model: lost',
    });
    expect(ending.ending).toBe('done');
  });

  test('reports that the model failed, even where the runtime keeps it to itself', async () => {
    const { events, ending } = await play({ broken: 'model' });
    expect(events).toContainEqual({
      type: 'error',
      retryable: false,
      message: 'model TEXT_LARGE (not set: SHOP_API_KEY): the model is asleep',
    });
    expect(ending.ending).not.toBe('done');
    expect(ending.message).toContain('the model is asleep');
  });

  test('gives plugins the variables that they may read, and no others', async () => {
    const variables = { SHOP_API_KEY: 'key-of-the-shop', GREETING: 'hi' };
    const given = await play({ text: 'Hello.' }, { settings: ['SHOP_API_KEY', 'UNKNOWN'], variables });
    expect(given.stderr).toContain('shop key-of-the-shop key-of-the-shop null');
    const others = await play({ text: 'Hello.' }, { settings: ['UNKNOWN'], variables });
    expect(others.stderr).toContain('shop null undefined null');
  });

  test('names the keys that are missing and the address if a model of a plugin cannot be reached', async () => {
    const failureOf = async (turn: HostTurn) => (await play({ broken: 'connection' }, turn)).ending.message;
    const expected =
      'model TEXT_LARGE (not set: SHOP_API_KEY; url: http://127.0.0.1:9/v1/responses): Cannot connect to API';
    expect(await failureOf({})).toContain(expected);
    const settings = ['SHOP_API_KEY'];
    const message = await failureOf({ settings, variables: { SHOP_API_KEY: 'key-of-the-shop' } });
    expect(message).toContain('model TEXT_LARGE (url: http://127.0.0.1:9/v1/responses): Cannot connect');
    expect(message).not.toContain('secret');
  });

  test('answers calls of a mocked service, and records those that no mock answers', async () => {
    const mocks = [mock({ when: { args: ['lamps'] }, response: 7 }), mock({ when: { args: ['cables'] }, response: 8 })];
    const { replies, calls } = await play({ actions: 'CHECK_STOCK' }, { mocks });
    expect(replies).toEqual(['There are 7 pieces']);
    expect(calls).toMatchObject([{ mock: 0, command: 'stock.count', args: ['lamps'], exit_code: null }]);
    const missed = await play({ actions: 'CHECK_STOCK' }, { mocks: mocks.slice(1) });
    expect(missed.replies).toEqual(['There are 3 pieces']);
    expect(missed.calls).toMatchObject([{ mock: null, command: 'stock.count' }]);
  });

  test('lets a mocked method throw, fill in a template, and match by the action that calls it', async () => {
    const thrown = await play(
      { actions: 'CHECK_STOCK' },
      { mocks: [mock({ error: { code: 'CLOSED', message: 'come back later', status: 503 } })] },
    );
    expect(thrown.replies).toEqual(['The stock says CLOSED CLOSED: come back later']);
    expect(thrown.actions).toEqual([['CHECK_STOCK', true]]);
    const filled = await play(
      { actions: 'CHECK_STOCK' },
      {
        mocks: [mock({ when: { context: { action: 'CHECK_STOCK', turn: 1 } }, responseFn: 'no ${args[0]}, so 0' })],
      },
    );
    expect(filled.replies).toEqual(['There are no lamps, so 0 pieces']);
  });

  test('does not start with a mock of a service or a method that does not exist', async () => {
    const service = await play({}, { mocks: [mock({ service: 'stokc' })] });
    expect(service.ending).toMatchObject({
      ending: 'unable',
      message: expect.stringMatching(/no service 'stokc'; did you mean 'stock'\?/) as string,
    });
    const method = await play({}, { mocks: [mock({ method: 'cuont' })] });
    expect(method.ending.message).toMatch(
      /the service stock has no method 'cuont'; did you mean 'count'\? Its methods: .*unit/,
    );
    expect(method.actions).toEqual([]);
  });

  test('gives the runtime the memories, relationships and cache of the scenario', async () => {
    const database: RuntimeDatabase = {
      entities: [{ id: 'carla', names: ['Carla'], metadata: {} }],
      memories: [
        {
          entityId: 'user',
          content: { text: 'My key is under the mat' },
          tableName: 'messages',
          unique: false,
        },
      ],
      relationships: [{ sourceEntityId: 'user', targetEntityId: 'carla', tags: ['friend'], metadata: {} }],
      cache: { colour: 'blue' },
    };
    const remembered = await play({ recall: 'under the mat' }, { database });
    expect(remembered.replies).toEqual(['under the mat']);
    const without = await play({ recall: 'under the mat', text: 'no idea' }, { database: EMPTY });
    expect(without.replies).toEqual(['no idea']);
    const looked = await play({ actions: 'LOOK_UP' }, { database });
    expect(looked.replies).toEqual(['friends: 1, colour: blue']);
  });

  test('continues a conversation with the state after the turn before, which contains no secret', async () => {
    const folder = await newFolder();
    const variables = { GREETING: 'the-secret-word' };
    await play({ text: 'Hello Bo.' }, { folder, input: 'My name is Bo', variables });
    const state = await readFile(join(folder, 'config/turns/session-1/1.json'), 'utf8');
    expect(state).toContain('My name is Bo');
    expect(state).not.toContain('the-secret-word');
    const second = await play({ recall: 'My name is Bo' }, { folder, turn: 2, input: 'Who am I?' });
    expect(second.replies).toEqual(['My name is Bo']);
    const reply = await play({ recall: 'Hello Bo.' }, { folder, turn: 2, input: 'Who am I?' });
    expect(reply.replies).toEqual([]); // turn 2 is done already, and is not performed again
    expect(reply.ending.ending).toBe('done');
    const third = await play({ recall: 'Hello Bo.' }, { folder, turn: 3, input: 'What did you say?' });
    expect(third.replies).toEqual(['Hello Bo.']);
  });

  test('does not continue a conversation whose state is missing', async () => {
    const { ending } = await play({}, { turn: 2 });
    expect(ending.again).toEqual({ why: 'session', at: null });
  });

  test('works without a service that does not start, and reports it', async () => {
    const { replies, events } = await play({ text: 'Hello.', broken: 'start' });
    expect(replies).toEqual(['Hello.']);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'error',
        message: expect.stringContaining('the stock is closed') as string,
      }),
    );
  });
}
