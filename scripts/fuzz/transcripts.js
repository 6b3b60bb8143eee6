// Output of agents: streams, shell commands, and the analysis of both.
import { eventStream } from '../../src/agents/streams/event-stream.ts';
import { textStream } from '../../src/agents/command.ts';
import { efficiencyOf, extractCommands } from '../../src/model/transcript/analyse-transcript.ts';
import { EventBody } from '../../src/model/records/events.ts';
import { Efficiency } from '../../src/model/records/result-line.ts';
import { shellCalls } from '../../src/model/transcript/shell-calls.ts';
import { splitCommands } from '../../src/model/transcript/split-commands.ts';
import { NO_USAGE } from '../../src/model/records/token-usage.ts';
import { renderHumanTranscript } from '../../src/reports/run/human-transcript.ts';
import { EVENTS, scriptTexts } from './corpus.js';
import { expect, same } from './expect.js';
import { mutated, mutatedJson, sentence } from './mutate.js';

const SHELL = [
  ...[
    'tool',
    'tool list',
    './tool',
    'sudo',
    'env',
    'A=1',
    'bash -c',
    "'tool x'",
    '"$(tool y)"',
    '`tool z`',
    '&&',
    '||',
  ],
  ...[
    ';',
    '|',
    '&',
    '\n',
    '> out',
    '2>&1',
    '<<EOF\n',
    'EOF\n',
    '# note',
    '$((1+2))',
    'if',
    'then',
    'fi',
    '--help',
    '\\',
  ],
  ...['exit 3', 'exit code 1', 'error: x', '$ tool a', '> tool b', 'failed'],
];
const TARGETS = [null, '', '^tool\\s+(\\S+)', '(tool) (\\S*)', '((', 'tool'].map((commandPattern) => ({
  binary: commandPattern === '' ? './bin/tool' : 'tool',
  commandPattern,
}));

const script = (random) => (random.chance(0.5) ? sentence(random, SHELL, 25) : mutated(random, scriptTexts));
const event = (random) => {
  let value = random.pick(EVENTS);
  for (let count = random.pick([0, 0, 1, 2]); count > 0; count--) value = mutatedJson(random, value, SHELL);
  return value;
};
const lines = (random) =>
  random.times(8, () => {
    const text = JSON.stringify(event(random));
    return random.chance(0.3) ? mutated(random, [text]) : text;
  });

function checkStream(input) {
  for (const parser of [eventStream(), textStream()]) {
    const events = [...input.flatMap((line) => parser.line(line)), ...parser.end()];
    for (const body of events) same(EventBody.parse(JSON.parse(JSON.stringify(body))), body, 'an event that is none');
  }
}

/** Returns the usage of a run: known, partly known or unknown. */
const used = (random) => {
  const usage = () =>
    Object.fromEntries(Object.keys(NO_USAGE).map((name) => [name, random.pick([null, 0, 10, 1e300])]));
  return {
    token_usage: random.chance(0.5) ? usage() : NO_USAGE,
    cost_usd: random.pick([null, 0, 0.1, 1e300]),
    ...(random.chance(0.3) ? { token_usage_at_least: usage() } : {}),
    ...(random.chance(0.3) ? { cost_usd_at_least: random.pick([0, 0.1, 1e300]) } : {}),
  };
};

function checkShell(text) {
  const commands = [...splitCommands(text), ...shellCalls(text, 'tool'), ...shellCalls(text, null)];
  expect(commands.length <= 3 * (text.length + 1), 'more commands than characters');
  for (const { line, words } of commands) {
    expect(typeof line === 'string' && words.every((word) => typeof word === 'string'), 'a command without words');
  }
}

function checkAnalysis({ events, text, target }) {
  const found = Efficiency.parse(efficiencyOf(extractCommands({ events, text, target })));
  const { total_commands: total, unique_commands: unique, first_try_success_rate: rate } = found;
  expect(total === unique + found.retry_count, 'calls are neither first nor again', found);
  expect(found.error_count <= total && found.help_invocations <= total, 'more of some calls than calls', found);
  expect(rate === null ? unique === 0 : rate >= 0 && rate <= 1, 'a rate that is none', found);
}

// Characters that control a terminal or change the direction of text.
const ACTS = /[\0-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

function checkHuman({ head, events }) {
  const shown = [...renderHumanTranscript(head, events)].join('');
  expect(!ACTS.test(shown), 'acts on a terminal', ACTS.exec(shown)?.[0], shown.slice(0, 300));
}

const validEvents = (random) =>
  random
    .times(10, () => event(random))
    .flatMap((value) => {
      try {
        return EventBody.safeParse(value).data ?? [];
      } catch {
        return []; // nested too deeply for the schema; streams.ts drops such events too
      }
    });

export const targets = [
  { name: 'event-stream', make: lines, check: checkStream },
  { name: 'shell', make: script, check: checkShell },
  {
    name: 'analysis',
    make: (random) => ({
      events: random.chance(0.5) ? validEvents(random) : [],
      text: script(random),
      target: random.pick(TARGETS),
    }),
    check: checkAnalysis,
  },
  {
    name: 'human-transcript',
    make: (random) => ({
      head: {
        scenario: sentence(random, SHELL, 3),
        agent: 'a',
        model: sentence(random, ['m'], 2),
        prompt: script(random),
        used: used(random),
      },
      events: validEvents(random).map((body, index) => ({
        ts: '',
        seq: index + 1,
        attempt: 1 + random.below(2),
        ...body,
      })),
    }),
    check: checkHuman,
  },
];
