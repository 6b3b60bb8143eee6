// Numbers of agents, evaluators and providers: whatever is written can be read by every reader, and no budget is
// credited.
import { claudeCodeStream } from '../../src/agents/streams/claude-code.ts';
import { codexStream, codexUsageInLog } from '../../src/agents/streams/codex.ts';
import { eventStream, ownEventStream } from '../../src/agents/streams/event-stream.ts';
import { geminiStream } from '../../src/agents/streams/gemini.ts';
import { opencodeStream } from '../../src/agents/streams/opencode.ts';
import { piStream } from '../../src/agents/streams/pi.ts';
import { readEvaluator } from '../../src/gates/evaluators.ts';
import { canonicalJson } from '../../src/lib/json.ts';
import { admit } from '../../src/decide/budget.ts';
import { createPricer, sumOfCosts } from '../../src/model/cost.ts';
import { agentWork } from '../../src/model/records/agent-work.ts';
import { EventBody } from '../../src/model/records/events.ts';
import { OutputProblems } from '../../src/model/records/output-problems.ts';
import { recordedUsage, createUsageMeter } from '../../src/model/transcript/usage-meter.ts';
import { EvaluatorResult, Metrics } from '../../src/model/records/result-line.ts';
import { RunRecord } from '../../src/model/records/run-record.ts';
import { sumUsage, TokenUsage } from '../../src/model/records/token-usage.ts';
import { paidCost } from '../../src/decide/totals.ts';
import { createTrajectoryCollector } from '../../src/model/transcript/trajectory.ts';
import { parseResult } from '../../src/store/results-log.ts';
import { metrics as metricsOf, run as runOf } from '../../test/model/sample.ts';
import { RESULT } from './corpus.js';
import { expect } from './expect.js';

const NUMBERS = [
  ...[0, 1, 10, 12, 999_999, -1, -0, 0.5, 12.5, -0.1, 1e-300, 1e16, 1e300, -1e300],
  ...[2 ** 53 - 1, 2 ** 53, -(2 ** 53)],
  ...[null, '5', '', true, {}, [], [3]],
];
const number = (random) => (random.chance(0.4) ? 1 + random.below(1000) : random.pick(NUMBERS));
/** Counts with these names, of which some are missing. */
const counts = (random, ...names) =>
  Object.fromEntries(names.filter(() => random.chance(0.85)).map((name) => [name, number(random)]));

const OURS = ['input', 'output', 'reasoning', 'cache_read', 'cache_write', 'cost_usd'];
const our = (random) => ({
  type: 'usage',
  ...Object.fromEntries(OURS.map((name) => [name, null])),
  ...counts(random, ...OURS),
  ...(random.chance(0.2) ? { cost_of_start: true } : {}),
});
const anthropic = (random) => ({
  ...counts(random, 'input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'),
  output_tokens_details: counts(random, 'thinking_tokens'),
});
const codexCounts = (random) =>
  counts(
    random,
    ...['input_tokens', 'cached_input_tokens', 'cache_write_input_tokens', 'output_tokens'],
    'reasoning_output_tokens',
  );
const STREAMS = {
  events: { parser: eventStream, line: our },
  own: { parser: ownEventStream, line: our },
  'claude-code': {
    parser: claudeCodeStream,
    line: (random) =>
      random.pick([
        () => ({ type: 'system', subtype: 'init', session_id: 's', model: 'm' }),
        () => ({
          type: 'assistant',
          message: { id: String(random.below(3)), model: 'm', content: [], usage: anthropic(random) },
        }),
        () => ({
          type: 'result',
          subtype: 'success',
          is_error: false,
          usage: anthropic(random),
          ...counts(random, 'total_cost_usd'),
          ...(random.chance(0.5)
            ? {
                model_usage_since_last_result: {
                  m: counts(random, 'inputTokens', 'outputTokens', 'thinkingTokens', 'costUSD'),
                  n: counts(random, 'inputTokens', 'outputTokens', 'cacheReadInputTokens', 'costUSD'),
                },
              }
            : {}),
        }),
      ])(),
  },
  codex: {
    parser: codexStream,
    line: (random) =>
      random.pick([
        () => ({ type: 'thread.started', thread_id: 't' }),
        () => ({ type: 'turn.completed', usage: codexCounts(random) }),
        () => ({ type: 'turn.completed' }),
      ])(),
  },
  gemini: {
    parser: geminiStream,
    line: (random) =>
      random.pick([
        () => ({ type: 'message', role: 'assistant', content: 'x' }),
        () => ({
          type: 'result',
          status: 'success',
          stats: {
            models: Object.fromEntries(
              random.times(2, (index) => [
                `m${index}`,
                counts(random, 'total_tokens', 'input_tokens', 'output_tokens', 'cached'),
              ]),
            ),
          },
        }),
      ])(),
  },
  opencode: {
    parser: opencodeStream,
    line: (random) =>
      random.pick([
        () => ({ type: 'step_start', sessionID: 's', part: {} }),
        () => ({
          type: 'step_finish',
          sessionID: 's',
          part: {
            reason: 'stop',
            ...counts(random, 'cost'),
            tokens: {
              ...counts(random, 'input', 'output', 'reasoning'),
              cache: counts(random, 'read', 'write'),
            },
          },
        }),
      ])(),
  },
  pi: {
    parser: piStream,
    line: (random) => ({
      type: 'message_end',
      message: {
        role: 'assistant',
        content: [{ type: 'text', text: 'x' }],
        stopReason: 'stop',
        usage: {
          ...counts(random, 'input', 'output', 'cacheRead', 'cacheWrite', 'totalTokens'),
          cost: counts(random, 'total'),
        },
      },
    }),
  },
};

const PRICES = [
  {},
  { m: { input_per_mtok: 3, output_per_mtok: 15 } },
  { m: { input_per_mtok: 2 ** 53 - 1, output_per_mtok: 2 ** 53 - 1, cache_read_per_mtok: 2 ** 53 - 1 } },
];
const pricers = await Promise.all(PRICES.map((prices) => createPricer(prices)));

/** Checks that a reader reads what was written, and that it says the same. */
function readBack(schema, value, what) {
  const text = JSON.stringify(value);
  const { success, data, error } = schema.safeParse(JSON.parse(text));
  expect(success, `${what} that cannot be read`, String(error), text.slice(0, 500));
  // The order of fields is that of the schema, which may add defaults.
  const again = schema.parse(JSON.parse(JSON.stringify(data)));
  const [once, twice] = [data, again].map((one) => canonicalJson(one));
  expect(once === twice, `${what} that changes when it is read`, once, twice);
  return data;
}

function checkNumbers({ stream, lines, prices, complete, spent }) {
  const parser = STREAMS[stream].parser();
  parser.begin?.(1);
  const events = [...lines.flatMap((line) => parser.line(JSON.stringify(line))), ...parser.end()];
  const meter = createUsageMeter('m', pricers[prices]);
  const trajectory = createTrajectoryCollector();
  for (const event of events) {
    const read = readBack(EventBody, event, 'an event');
    expect(canonicalJson(read) === canonicalJson(event), 'an event that loses something', event, read);
    meter.add(event);
    trajectory.add(event);
  }
  readBack(OutputProblems, parser.problems(), 'a problem of output');
  const usage = recordedUsage(meter.read(), complete && !parser.usagePending());
  const { agent, ...rest } = runOf();
  const stored = readBack(
    RunRecord,
    { ...rest, agent: { ...agent, ...usage, output_problems: parser.problems() } },
    'a run',
  );
  const { token_usage, cost_usd: storedUsd } = stored.agent;
  expect(
    canonicalJson([token_usage, storedUsd]) === canonicalJson([usage.token_usage, usage.cost_usd]),
    'other usage is read',
  );
  const metrics = metricsOf({ agent_work: agentWork(trajectory.end(null), usage.token_usage) });
  readBack(Metrics, metrics, 'metrics');
  const { cost_usd, cost_usd_at_least } = usage;
  const costs = { cost_usd, ...(cost_usd_at_least === undefined ? {} : { cost_usd_at_least }) };
  const line = JSON.stringify({ ...RESULT, ...costs, metrics });
  const parsed = parseResult(line);
  expect(typeof parsed !== 'string', 'a result that cannot be read', parsed, line.slice(0, 500));
  checkBudget(parsed, spent);
  if (parser.problems().lines > 0) expect(usage.token_usage.input === null, 'wrong numbers that are exact');
}

/** Checks that a run can only use up a budget. */
function checkBudget(result, spent) {
  const others = { outcome: 'pass', cached: false, cost_usd: spent };
  const { usd } = paidCost([others, { ...result, cached: false }]);
  // A sum that is too large to be stored is not known.
  expect(usd === null || usd >= spent - 1e-6, 'a run that pays for others', usd, spent);
  const known = result.cost_usd ?? result.cost_usd_at_least ?? 0;
  const budget = { maxUsd: 2, open: [], rounded: true };
  const allowed = (spentUsd) => admit({ ...budget, spentUsd }, 1) === 'start';
  expect(!allowed(spent + known) || allowed(spent), 'a run that admits others', known, spent);
  expect(known >= 0 && sumOfCosts([known]) === known, 'a cost that is none', known);
}

function checkEvaluator(stdout) {
  const result = { exitCode: 0, timedOut: false, stdout, stderr: '' };
  readBack(EvaluatorResult, readEvaluator('e', result, 5), 'a result of an evaluator');
}

function checkLog(lines) {
  const found = lines.map((line) => codexUsageInLog(JSON.stringify(line))).filter((usage) => usage !== null);
  for (const usage of [...found, sumUsage(found)]) readBack(TokenUsage, usage, 'logged usage');
}

const value = (random) => random.pick(['1e999', '-1e999', '0.5', '1e300', 'null', '"x"', '-1', '[1e400]']);

export const targets = [
  {
    name: 'numbers',
    share: 2,
    make: (random) => {
      const stream = random.pick(Object.keys(STREAMS));
      return {
        stream,
        lines: random.times(5, () => STREAMS[stream].line(random)),
        prices: random.below(PRICES.length),
        complete: random.chance(0.8),
        spent: random.pick([0, 0.5, 1.99, 2, 100, 2 ** 53 - 1]),
      };
    },
    check: checkNumbers,
  },
  {
    name: 'evaluator-numbers',
    share: 0.2,
    make: (random) =>
      `{"score":${value(random)},"metrics":{"a":${value(random)},"b":[${value(random)}]},"summary":${value(random)}}`,
    check: checkEvaluator,
  },
  {
    name: 'codex-log',
    share: 0.2,
    make: (random) => random.times(4, () => ({ type: 'token_usage_record', payload: { usage: codexCounts(random) } })),
    check: checkLog,
  },
];
