import { z } from 'zod';
import { CONTAINMENTS, describeEnd, schemaVersion } from '#lib';
import { ConversationRecord } from './conversation.js';
import { FirstRequest } from './agent-work.js';
import { LostRunHost, RunHost } from './host-record.js';
import { MockedCalls } from './mocked-calls.js';
import { OutputProblems } from './output-problems.js';
import { SCHEMA_VERSION } from './result-line.js';
import { TokenUsage } from './token-usage.js';
import { Usd } from './quantities.js';
import { KeptText, PathText } from './redact-fields.js';
import { Outcome, RunFacts } from './run-facts.js';

/** One setup command, health check or post script. Its output is the redacted beginning of what it printed. */
export const CommandRecord = z.object({
  command: z.string().describe('The command'),
  exit_code: z.int().nullable().describe('Null: none, it was killed'),
  timed_out: z.boolean().describe('Whether its time ran out'),
  duration_ms: z.number().describe('Duration'),
  stdout: z.string().describe('Beginning of stdout, redacted'),
  stderr: z.string().describe('Beginning of stderr, redacted'),
});
export type CommandRecord = z.infer<typeof CommandRecord>;

/**
 * The end of an agent run. `done`: proven success. `gave_up`: the agent ended by itself without success.
 * `unable`: it could not work at all (no binary, bad key, quota), so nothing can be said of the tool under test.
 */
export const EndReason = z.enum([
  'done',
  'gave_up',
  'max_turns',
  'timeout',
  'idle_timeout',
  'max_cost',
  'crashed',
  'unable',
  'cancelled',
]);
export type EndReason = z.infer<typeof EndReason>;

/** Describes the end of a command: "exit 3", "timed out", "ended by a signal". */
export const commandEnd = ({ exit_code, timed_out }: CommandRecord): string =>
  describeEnd({ exitCode: exit_code, timedOut: timed_out }, null);

export const AgentRecord = z.object({
  ending: EndReason.describe('How it ended'),
  completed: z.boolean().describe('Whether it ended by itself and successfully'),
  exit_code: z.int().nullable().describe('Null: none, it was killed'),
  message: z.string().describe('How it ended, in a sentence'),
  version: z.string().nullable().describe('What its version command printed; for `loop`, the version of llm-tool-test'),
  containment: z.enum(CONTAINMENTS).nullable().describe('How its processes were contained; null: not started'),
  login: z.boolean().describe("Whether it used the user's login instead of a key"),
  session_id: z.string().nullable().describe('Its session, for a resume'),
  model_used: z.string().nullable().describe('As the agent reports it'),
  duration_ms: z.number().describe('Of all starts'),
  starts: z.int().describe('Number of times this run of the agent was started'),
  output_bytes: z.int().describe('Size of its output'),
  text_output: z
    .literal(true)
    .exactOptional()
    .describe('Its output is plain text, which shows no tools, and commands only in part; absent: events'),
  output_problems: OutputProblems.exactOptional().describe(
    'Lines of its output that are not valid events, or have numbers that cannot be right; absent: none, or plain text',
  ),
  token_usage: TokenUsage.describe('Of all starts; null throughout if a part is unknown, as after an interruption'),
  first_request: FirstRequest.exactOptional().describe(
    'The first request of its session to the model; absent: the agent does not say',
  ),
  token_usage_at_least: TokenUsage.exactOptional().describe('The known part, if another is unknown'),
  cost_usd: Usd.nullable().describe('Of all starts; null: unknown'),
  cost_usd_at_least: Usd.exactOptional().describe('The known part of an unknown cost'),
  cost_source: z
    .enum(['reported', 'config', 'list'])
    .nullable()
    .describe("The agent, the config's prices or the public price list"),
  history: z.array(z.string()).describe('How other starts and attempts ended'),
});
export type AgentRecord = z.infer<typeof AgentRecord>;

/** A step of the run, performed as an activity of its workflow. */
export const StepRecord = z.object({
  name: KeptText.describe('Name of the step'),
  status: z.enum(['done', 'failed', 'not_performed']).describe('How it went'),
  duration_ms: z.number().nullable().describe('Null: not performed'),
  attempts: z.int().describe('Attempts by Temporal'),
  note: z.string().nullable().describe('Why it failed or was not performed'),
  ended_at: KeptText.exactOptional().describe('ISO 8601 in UTC; absent: not performed'),
});
export type StepRecord = z.infer<typeof StepRecord>;

/** artifacts/run.json: what ran, where, with which inputs, and how it ended. Scores are in metrics.json. */
export const RunRecord = z.object({
  schema_version: schemaVersion(SCHEMA_VERSION).describe('Version of the format'),
  run_id: KeptText.describe('Id of the run'),
  sweep: KeptText.describe('Id of the sweep'),
  cell: KeptText.describe('Id of the cell'),
  workflow_id: KeptText.describe('Its workflow in Temporal; empty if it was imported'),
  scenario: z.object({
    name: KeptText.describe('Its name'),
    description: z.string().describe('Its description'),
    file: PathText.describe('Its file'),
    hash: KeptText.describe('Changes with its content, its fixture and its checks folder'),
    tier: z.int().describe('Its tier'),
    tags: z.array(KeptText).describe('Its tags'),
    prompt: z.string().nullable().describe('What the agent was asked; null: no agent took part'),
  }),
  target: z
    .object({
      binary: PathText.describe('As the scenario names it'),
      resolved: z.string().nullable().describe('Path of the program; null: not found'),
      fingerprint: KeptText.nullable().describe('Changes with the content of the target; null: not found'),
      health_check: CommandRecord.nullable().describe('The health check, if there is one'),
    })
    .nullable()
    .describe('The program under test; null: the scenario has none'),
  agent_name: KeptText.describe('Name of the agent'),
  model: KeptText.describe('As requested'),
  variant: KeptText.describe('Name of the variant'),
  repetition: z.int().describe('From 1'),
  environment: KeptText.describe('Where it ran: local, bubblewrap, docker, e2b or kubernetes'),
  host: RunHost.exactOptional().describe('Where it ran; absent: results that are not shared'),
  lost_hosts: z.array(LostRunHost).exactOptional().describe('Hosts that had this run before and were lost'),
  image: z
    .object({
      name: z.string().describe('As the scenario names it'),
      id: KeptText.describe('Id of the image'),
    })
    .exactOptional()
    .describe('Image of the container'),
  sandboxed: z.boolean().describe('Whether the agent was in a sandbox'),
  sandbox: z
    .object({
      filesystem: z.boolean().describe('Whether files outside the run were hidden or read-only'),
      network: z.enum(['isolated', 'shared']).describe('Whether the network was isolated'),
    })
    .exactOptional()
    .describe('What the sandbox isolated the agent and the checks from'),
  started_at: KeptText.describe('ISO 8601 in UTC'),
  ended_at: KeptText.describe('ISO 8601 in UTC'),
  ...RunFacts.shape,
  duration_secs: z.number().describe('Without writing the report'),
  outcome: Outcome.describe('Outcome of the run'),
  message: z.string().describe('The reason, in a sentence'),
  agent: AgentRecord.nullable().describe('Null: not started, or its step failed for good'),
  judge: z
    .object({
      model: KeptText.describe('As requested'),
      rubric: PathText.describe('As the scenario names it'),
      artifacts: z.array(KeptText).describe("Its files, relative to the run's folder"),
    })
    .nullable()
    .describe('The judge planned for the run; its scores are in metrics.json'),
  asked: z
    .object({
      model: KeptText.describe('As requested'),
      answers: z.int().describe('How many answers there were, usable or not'),
      usage: TokenUsage.describe('Their tokens'),
      cost_usd: Usd.nullable().describe('Their price in US dollars; null: unknown'),
      cost_usd_at_least: Usd.exactOptional().describe('The known part of an unknown cost'),
      artifacts: z.array(KeptText).describe("Their files, relative to the run's folder"),
    })
    .exactOptional()
    .describe('Answers that gates, and other parts except the judge, asked a model for'),
  setup: z.array(CommandRecord).describe('Setup commands'),
  context: z.array(CommandRecord).describe('Agent scripts of task.context'),
  post_scripts: z.array(CommandRecord).describe('Post scripts'),
  live: z.boolean().exactOptional().describe('Whether mocks were ignored (`--live`)'),
  mocks: MockedCalls.exactOptional().describe('Calls of what is mocked'),
  conversation: ConversationRecord.exactOptional().describe('What was said, if there was more than one message'),
  left_out: z
    .array(z.object({ path: z.string().describe('Its path'), reason: KeptText.describe('Why it was left out') }))
    .exactOptional()
    .describe('What fixture/ lacks of the workspace; at most 100 entries'),
  steps: z.array(StepRecord).describe('Steps in the order performed'),
  warnings: z.array(z.string()).describe('Problems that do not change the outcome'),
});
export type RunRecord = z.infer<typeof RunRecord>;
