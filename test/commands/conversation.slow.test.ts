import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEYS } from './judged-project.js';
import { createModelServer, type Asked, type ModelServer } from './model-server.js';
import { createProject, openRun, type RunFolder, type TestProject } from './project.js';

/** Answers with the number of the turn and the last line of what it was given. */
const AGENT = `[agents.counter]
command = "sh"
args = ["-c", '''said=$(cat); echo turn >> turns.txt; echo "reply $(wc -l < turns.txt | tr -d ' ')"; printf '%s\\n' "$said" | tail -n 1''']
prompt = "stdin"
free = true
[agents.slow]
command = "sh"
args = ["-c", '''cat > /dev/null; echo started; sleep 60''']
prompt = "stdin"
free = true
`;

const ENV = { HOUSE_KEY: KEYS.HOUSE_KEY, LLM_TOOL_TEST_ENABLED: '1' };

let server: ModelServer;
let project: TestProject;
beforeAll(async () => {
  server = await createModelServer();
  project = await createProject({
    'llm-tool-test-config.toml': `[judge]
model = "house/nobody"
[providers.house]
base_url = "${server.address}/house/v1"
api_key = "\${HOUSE_KEY}"
${AGENT}[prices."player-paid-served"]
input_per_mtok = 10
output_per_mtok = 100
`,
  });
});
afterAll(async () => {
  await project.remove();
  await server.close();
});

interface Given {
  /** Lines of the conversation. */
  conversation?: string[];
  agent?: string;
  /** Lines of the step after the conversation. */
  step?: string[];
  /** Lines at the end of the file. */
  more?: string[];
}

const file = (name: string, { conversation = [], agent = 'counter', step = [], more = [] }: Given): string =>
  [
    `name: ${name}`,
    `agent: ${agent}`,
    'run:',
    '  - input: I need a list.',
    '    conversation:',
    '      max_turns: 3',
    '      user_simulator: { persona: a busy cook, objective: get a shopping list }',
    ...conversation.map((line) => `      ${line}`),
    ...step.map((line) => `    ${line}`),
    ...more,
    ...(JSON.stringify([conversation, step, more]).includes('evaluations')
      ? []
      : ['evaluations: [{ type: string_contains, value: reply }]']),
    '',
  ].join('\n');

async function converse(
  name: string,
  given: Given,
  model = name,
): Promise<{ exitCode: number | undefined; folder: RunFolder }> {
  await project.write(`${name}.scenario.yaml`, file(name, given));
  const { exitCode, document } = await project.run([`${name}.scenario.yaml`, '--judge-model', `house/${model}`], ENV);
  return { exitCode, folder: await openRun(document) };
}

const promptOf = ({ body }: Asked): string =>
  (JSON.parse(body) as { messages: { content: string }[] }).messages.map(({ content }) => content).join('\n');

describe('a conversation with a simulated user', () => {
  test('goes on for all turns: each message of the user reaches the agent, and is recorded', async () => {
    server.script('talker', { say: '"Is milk on it?"' }, { say: 'User: And eggs?' });
    const { exitCode, folder } = await converse('talker', {
      step: ['evaluations:', '  - { type: conversation_length, min_turns: 3, max_turns: 3 }'],
    });
    expect(exitCode).toBe(0);
    expect(folder.run.conversation).toEqual({
      turns: [
        { number: 1, user: 'I need a list.', agent: 'reply 1\nI need a list.' },
        { number: 2, user: 'Is milk on it?', agent: 'reply 2\nIs milk on it?' },
        { number: 3, user: 'And eggs?', agent: 'reply 3\nAnd eggs?' },
      ],
      ended: [{ step: 0, turn: 3, reason: 'max_turns_reached' }],
    });
    expect(folder.run.steps.map(({ name }) => name)).toEqual([
      ...['prepare', 'agent', 'ending 1', 'user 2', 'turn 2', 'ending 2', 'user 3', 'turn 3', 'ending 3'],
      ...['gate 1', 'report'],
    ]);
    expect(folder.run).toMatchObject({ starts: 3, agent: { starts: 3, completed: true } });
    const transcript = await folder.text('artifacts/transcript.human.txt');
    expect(transcript.match(/=== (Prompt|User|Assistant) ===\n.*/g)).toEqual([
      '=== Prompt ===\nI need a list.',
      '=== Assistant ===\nreply 1',
      '=== User ===\nIs milk on it?',
      '=== Assistant ===\nreply 2',
      '=== User ===\nAnd eggs?',
      '=== Assistant ===\nreply 3',
    ]);
  });

  test('shows the model persona, objective and what was said, as data', async () => {
    server.script('asked', { say: 'Go on.' });
    await converse('asked', {
      conversation: ['termination_conditions: [{ type: custom_condition, keywords: [go on.] }]'],
    });
    const [first] = server.askedOf('asked').map(promptOf);
    expect(first).toContain('Who the user is: a busy cook');
    expect(first).toContain('What the user wants: get a shopping list');
    expect(first).toMatch(
      /BEGIN (\w+) conversation\nTurn 1:\nUser: I need a list.\nAgent: reply 1\nI need a list.\nEND \1/,
    );
  });

  test('ends when a condition holds, and names it', async () => {
    server.script('content', { say: 'Thanks, perfect.' });
    const { exitCode, folder } = await converse('content', {
      conversation: [
        'termination_conditions:',
        '  - { type: escalation_needed }',
        '  - { type: user_expresses_satisfaction }',
      ],
    });
    expect(exitCode).toBe(0);
    expect(folder.run.conversation?.ended).toEqual([{ step: 0, turn: 2, reason: 'user_expresses_satisfaction' }]);
    expect(server.askedOf('content')).toHaveLength(1);
  });

  test('ends when a model is confident enough that a condition holds', async () => {
    const answer = (confidence: number) =>
      JSON.stringify({ answer: 'yes', confidence, reason: 'the list is complete' });
    server.script('decider', { say: answer(0.5) }, { say: 'And eggs?' }, { say: answer(0.9) });
    const { folder } = await converse('decider', {
      conversation: [
        'termination_conditions:',
        '  - type: goal_achieved',
        '    llm_judge: { prompt: Is the list complete?, threshold: 0.8 }',
      ],
    });
    expect(folder.run.conversation?.ended).toEqual([{ step: 0, turn: 2, reason: 'goal_achieved' }]);
    expect(promptOf(server.askedOf('decider')[0] as Asked)).toContain('Is the list complete?');
  });

  test('is not over while the model answers in another form: it is asked again, and gives up', async () => {
    server.script('vague', { say: 'Probably.' });
    const { exitCode, folder } = await converse('vague', {
      conversation: ['termination_conditions:', '  - { type: custom_condition, llm_judge: { prompt: Over? } }'],
    });
    expect(exitCode).toBe(3);
    expect(folder.run.outcome).toBe('error');
    expect(folder.run.message).toContain("step 'ending 1' could not be performed");
    expect(server.askedOf('vague')).toHaveLength(3);
  });

  test('fails by an evaluation of a single turn, and names the turn', async () => {
    server.script('failing', { say: 'And eggs?' });
    const { exitCode, folder } = await converse('failing', {
      conversation: ['turn_evaluations: [{ type: string_contains, value: list }]'],
    });
    expect(exitCode).toBe(1);
    expect(folder.metrics.details).toMatchObject([
      {
        status: 'fail',
        message: expect.stringMatching(/^after turn 2: the answer does not contain "list"/) as string,
        detail: [
          { turn: 1, status: 'pass' },
          { turn: 2, status: 'fail' },
          { turn: 3, status: 'fail' },
        ],
      },
    ]);
  });

  test('counts evaluations of every turn and final ones in the judgment', async () => {
    server.script('counting', { say: 'And the list?' });
    const { exitCode, folder } = await converse('counting', {
      conversation: [
        'turn_evaluations: [{ type: string_contains, value: list }]',
        'final_evaluations: [{ type: string_contains, value: nothing of the sort }]',
      ],
      more: ['judgment: { strategy: any_pass }'],
    });
    expect(exitCode).toBe(0);
    expect(folder.metrics.details.map(({ status, message }) => [status, message])).toEqual([
      ['pass', 'passed after each of 3 turns'],
      ['fail', expect.stringContaining('does not contain') as string],
    ]);
  });

  test('is stopped in a turn that takes too long', async () => {
    const { folder } = await converse('slow', {
      agent: 'slow',
      conversation: ['timeout_per_turn_ms: 1000'],
    });
    expect(folder.run.agent).toMatchObject({ ending: 'timeout', message: 'agent timed out after 1 s' });
    expect(folder.run.conversation?.ended).toEqual([{ step: 0, turn: 1, reason: 'agent_did_not_complete' }]);
  });

  test('costs what the simulated user costs', async () => {
    server.script('player-paid', { say: 'And eggs?' });
    const { folder } = await converse('player-paid', {});
    // Two messages, of 100 tokens to read and 20 to write each.
    expect(folder.run.asked).toMatchObject({ answers: 2, cost_usd: (2 * (100 * 10 + 20 * 100)) / 1e6 });
  });
});

describe('several messages', () => {
  test('belong to one conversation, each with evaluations of its own', async () => {
    await project.write(
      'two.scenario.yaml',
      `name: two
agent: counter
run:
  - input: First
    evaluations: [{ type: regex_match, pattern: '^reply 1\\nFirst$' }]
  - lang: bash
    code: cat turns.txt
    evaluations: [{ type: regex_match, pattern: '^turn\\n$' }]
  - input: Second
    evaluations:
      - { type: regex_match, pattern: '^reply 2\\nSecond$' }
      - { type: string_contains, value: nothing of the sort }
evaluations: [{ type: string_contains, value: reply 2 }]
judgment: { strategy: any_pass }
`,
    );
    const { exitCode, document } = await project.run(['two.scenario.yaml']);
    const { metrics } = await openRun(document);
    expect(exitCode).toBe(0);
    expect(metrics.details.map(({ status }) => status)).toEqual(['pass', 'pass', 'pass', 'fail', 'pass']);
  });
});

describe('a conversation is refused before anything runs', () => {
  test('without a model that plays the user', async () => {
    const other = await createProject({
      'llm-tool-test-config.toml': AGENT,
      'talk.scenario.yaml': file('talk', {}),
    });
    const { exitCode, stderr } = await other.cli(['run', 'talk.scenario.yaml'], ENV);
    await other.remove();
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/talk\.scenario\.yaml:7:\d+/);
  });

  test('without consent to spend money', async () => {
    await project.write('talk.scenario.yaml', file('talk', {}));
    const { exitCode, stderr } = await project.cli(['run', 'talk.scenario.yaml'], {
      HOUSE_KEY: KEYS.HOUSE_KEY,
      LLM_TOOL_TEST_ENABLED: '',
    });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('LLM_TOOL_TEST_ENABLED=1') as string]);
  });
});
