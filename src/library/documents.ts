/* Generated from the schemas by `npm run schema`. specs/reference/documents.md explains the documents. */

/** Any value that JSON can represent. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A line of events.jsonl. `ts` is ISO 8601 in UTC, `seq` counts from 1 in a run, `attempt` numbers the agent's starts. */
export type RunEvent = EventBody & { ts: string; seq: number; attempt: number };

/** A sweep and its cells: what `show <sweep> --json` prints. */
export interface SweepDocument {
  /** Version of the format */
  schema_version: 1;
  /** Id of the sweep */
  sweep: string;
  /** Its workflow in Temporal */
  workflow_id: string;
  /** Its page in Temporal's Web UI */
  ui_url: string | null;
  /** Status of the sweep */
  status: 'running' | 'paused' | 'completed' | 'cancelled';
  /** Numbers of cells */
  totals: {
    /** All cells */
    cells: number;
    /** Outcome pass */
    passed: number;
    /** Outcome fail */
    failed: number;
    /** Outcome error */
    errored: number;
    /** Outcome cancelled */
    cancelled: number;
    /** Results that were reused */
    cached: number;
    /** Runs in which nothing was checked, which count in no rate; absent: none */
    unchecked?: {
      /** Of passed */
      passed: number;
      /** Of failed */
      failed: number;
    };
  };
  /** Known costs of all runs, also of those that were replaced; null: none is known */
  cost_usd: number | null;
  /** The budget */
  max_usd: number | null;
  /** One for each cell */
  cells: Array<SweepCell>;
  /** Set if the sweep runs until its verdict is clear; `cells` then has those that it needed */
  decision?: {
    /** What head is compared with */
    base: {
      /** The variant that is the base; null if it is a sweep */
      variant: string | null;
      /** The finished sweep that is the base; null if it is a variant */
      sweep: string | null;
    };
    /** The variant that is compared with it; null: all of the sweep */
    head_variant: string | null;
    /** `undecided` as long as `stopped` is null */
    verdict: 'better' | 'worse' | 'not worse' | 'equivalent' | 'undecided' | 'not tested';
    /** Why no more runs are started; null: it goes on */
    stopped: 'clear' | 'futile' | 'most runs' | 'budget' | 'errors' | 'cancelled' | null;
    /** How much worse is still acceptable, from 0 to 1; null: not asked */
    margin: number | null;
    /** Absent: `--effect` was not given */
    effect?: {
      /** The smallest difference worth finding, from 0 to 1 */
      difference: number;
      /** Probability that the runs left show it; the sweep stops when it is below 0.2 */
      power: number;
    };
    /** Probability of a false better or worse, over all looks */
    alpha: number;
    /** Pass rate of head minus base, mean of the configurations */
    difference: number | null;
    /** Interval of the difference, valid at every look */
    interval: {
      /** Lower end */
      low: number;
      /** Upper end */
      high: number;
    } | null;
    /** What to expect of other scenarios like these; absent: fewer than 6 scenarios */
    other_scenarios?: {
      /** Lower end */
      low: number;
      /** Upper end */
      high: number;
    };
    /** The part of alpha that the looks so far have used */
    spent_alpha: number;
    /** p of the sequential test, valid whenever and why ever the sweep stops; at most alpha if the counted pairs show a difference; null: nothing tested; absent: written by an older build */
    p?: number | null;
    /** Rounds that have ended, each with a look at the results */
    rounds: number;
    /** Cells that were run */
    runs: number;
    /** Further runs of these cells, because one had ended with an error */
    runs_again: number;
    /** Runs of the whole plan */
    most_runs: number;
    /** Pairs in which a cell neither passed nor failed */
    pairs_left_out: number;
    /** What was counted */
    configurations: Array<{
      /** Name of the scenario */
      scenario: string;
      /** Name of the agent */
      agent: string;
      /** Name of the model */
      model: string;
      /** The variant of head */
      variant: string;
      /** Runs of base */
      base: {
        /** Runs that passed */
        passed: number;
        /** Runs that passed or failed */
        tested: number;
      };
      /** Runs of head */
      head: {
        /** Runs that passed */
        passed: number;
        /** Runs that passed or failed */
        tested: number;
      };
    }>;
    /** What makes the verdict less reliable */
    doubts: Array<string>;
  };
  /** Number of cells of the whole sweep, if options of `show` selected some of them */
  cells_of_sweep?: number;
  /** Results by parameter, if the sweep is a matrix of ElizaOS */
  parameters?: Array<{
    /** Field of the scenario file that varies */
    parameter: string;
    /** One of its values */
    value: Json;
    /** Cells with this value */
    cells: number;
    /** Cells with the outcome pass or fail */
    tested: number;
    /** Cells with the outcome pass */
    passed: number;
    /** passed / tested; null: none was tested */
    success_rate: number | null;
    /** Mean duration of the tested cells */
    mean_duration_secs: number | null;
    /** Median duration of the tested cells */
    median_duration_secs: number | null;
    /** Mean of the known costs of the tested cells */
    mean_cost_usd: number | null;
    /** Median of the known costs of the tested cells; null: unknown */
    median_cost_usd: number | null;
    /** Mean of the known numbers of tokens of the tested cells; null: unknown */
    mean_tokens: number | null;
    /** Median of the known numbers of tokens of the tested cells; null: unknown */
    median_tokens: number | null;
    /** Mean of the known numbers of tool calls of the tested cells; null: unknown */
    mean_tool_calls: number | null;
    /** Median of the known numbers of tool calls of the tested cells; null: unknown */
    median_tool_calls: number | null;
    /** Capabilities that gates of the tested cells checked */
    capabilities?: Array<{
      /** As the gate `llm_judge` names it */
      capability: string;
      /** How often it was achieved */
      achieved: number;
      /** How often it was checked */
      checked: number;
      /** achieved / checked */
      rate: number;
    }>;
    /** The 5 most frequent sequences of tools in the tested cells */
    common_trajectories?: Array<{
      /** Names of the called tools, in order; empty: none was called */
      sequence: Array<string>;
      /** Runs with exactly this sequence */
      count: number;
      /** count / runs whose sequence is known, from 0 to 1 */
      percentage: number;
      /** Mean duration of these runs */
      average_duration_secs: number | null;
    }>;
  }>;
  /** What subjects add to the context before the first turn: `head` are the variants with a subject, `base` the same without; absent: not both ran */
  subject_tokens?: Array<{
    /** Name of the agent */
    agent: string;
    /** Name of the model */
    model: string;
    /** Parts of the subject that only head has, like `skill pdf` */
    added: Array<string>;
    /** Parts that only base has; a part with another content is in both lists */
    removed: Array<string>;
    /** Tokens of head minus tokens of base: the median over scenarios; null: unknown */
    difference: number | null;
    /** The tools of its MCP servers, of which the most were seen; absent: none. Some agents tell the model only names at first */
    mcp_tools?: {
      /** Number of tools */
      count: number;
      /** Bytes of their definitions as JSON */
      bytes: number;
    };
    /** The scenarios, each with the size of its first requests to the model */
    scenarios: Array<{
      /** Name of the scenario */
      scenario: string;
      /** Name of the variant */
      variant: string;
      /** First requests of base */
      base: {
        /** Median of the known ones; null: none is known */
        tokens: number | null;
        /** Runs of which the size is known */
        runs: number;
        /** Runs of which it is not */
        unknown: number;
      };
      /** First requests of head */
      head: {
        /** Median of the known ones; null: none is known */
        tokens: number | null;
        /** Runs of which the size is known */
        runs: number;
        /** Runs of which it is not */
        unknown: number;
      };
      /** Whether nothing else differs between the sides that may change the first request */
      comparable: boolean;
      /** Difference of these medians; null: one is unknown, or they are not comparable */
      difference: number | null;
    }>;
  }>;
  /** The judges compared with people; absent: no run was judged, or not read */
  calibration?: Array<Calibration>;
  /** Gates that a model decided, compared with people; absent: none, or not read */
  gate_calibration?: Array<{
    /** The scenario with the gate */
    scenario: string;
    /** Place of the gate in the scenario, from 1 */
    number: number;
    /** Type and name of the gate */
    gate: string;
    /** The model that decided it, as requested */
    judge: string;
    /** Runs of this sweep in which it decided the gate */
    judged: number;
    /** How many of these passed the gate */
    passed: number;
    /** Runs in which a person decided it too, also in earlier sweeps */
    reviewed: number;
    /** How many of these have the same verdict */
    agreed: number;
    /** 95 % interval of agreed / reviewed (Wilson); null: none reviewed */
    interval: {
      /** Lower end */
      low: number;
      /** Upper end */
      high: number;
    } | null;
    /** Cohen's kappa: 1 is perfect agreement, 0 is that of chance; null: fewer than 2 runs, or all verdicts alike */
    kappa: number | null;
    /** 95 % interval of kappa */
    kappa_interval: {
      /** Lower end */
      low: number;
      /** Upper end */
      high: number;
    } | null;
    /** Based on the interval of kappa */
    verdict: 'not calibrated' | 'unclear' | 'low agreement' | 'agrees';
    /** Reviewed runs that the model passed and the person failed */
    passed_alone: number;
    /** Reviewed runs that the model failed and the person passed */
    failed_alone: number;
    /** passed / judged corrected by people's verdicts; null: fewer than 2 runs of this sweep have one */
    corrected: {
      /** Share of all of them that people would pass */
      rate: number;
      /** 95 % interval */
      interval: {
        /** Lower end */
        low: number;
        /** Upper end */
        high: number;
      };
      /** Runs of this sweep that it is based on */
      reviewed: number;
    } | null;
  }>;
  /** Whether mocks were ignored (`--live`) */
  live?: boolean;
  /** Reasons to doubt the results as a whole */
  warnings?: Array<string>;
}

/** One cell of a sweep. Fields that only a finished run can fill are null until then. */
export interface SweepCell {
  /** Id of the cell */
  id: string;
  /** Name of the scenario */
  scenario: string;
  /** Name of the agent */
  agent: string;
  /** Name of the model */
  model: string;
  /** Name of the variant */
  variant: string;
  /** From 1 */
  repetition: number;
  /** Null: not finished, like other numbers of the cell */
  outcome: Outcome | null;
  /** The reason, in a sentence */
  message: string | null;
  /** Gates that passed */
  gates_passed: number | null;
  /** Gates of the scenario */
  gates_total: number | null;
  /** Weighted score of the judge */
  judge_score: number | null;
  /** Composite score */
  composite_score: number | null;
  /** Human review, from evaluation.md; absent: none, or not read */
  human?: {
    /** Points / max, 0 to 1; null: none, or unreadable */
    score: number | null;
    /** As written: 4 of 4/5 */
    points: number | null;
    /** As written: 5 of 4/5 */
    max: number | null;
    /** Score of each of the judge's criteria that was scored, 0 to 1; absent: none */
    criteria?: Record<string, number>;
    /** Verdict on each gate judged by a model that has one, by the gate's number from 1; absent: none */
    gates?: Record<string, 'pass' | 'fail'>;
    /** Labels that the person gave the run, such as flaky-env; absent: none */
    labels?: Array<string>;
    /** The notes, redacted */
    notes: string | null;
    /** Who wrote the review */
    reviewer: string | null;
    /** Why the score cannot be read, with line and column */
    problem: string | null;
  };
  /** Cost of agent and judge; null: unknown */
  cost_usd: number | null;
  /** The known part of an unknown cost */
  cost_usd_at_least?: number;
  /** Runs of the cell that were replaced by this one; absent: none, or written by an older build */
  earlier_runs?: {
    /** Number of runs */
    runs: number;
    /** How many of them were lost with their hosts; absent: none */
    lost?: number;
    /** Their known costs; null: none is known */
    cost_usd: number | null;
    /** Runs whose cost is unknown or only partly known */
    cost_unknown: number;
  };
  /** Duration of the run */
  duration_secs: number | null;
  /** Attempts of the agent's step */
  attempts: number | null;
  /** Starts of the agent */
  starts: number | null;
  /** See run.json */
  unchecked?: true;
  /** What is worse than in all earlier runs that it is compared with */
  regressions: Array<{
    /** What got worse */
    kind: 'score' | 'gate' | 'cost';
    /** In a sentence */
    message: string;
    /** Id of the previous run of the cell */
    since: string;
    /** Number of runs that it is compared with; absent: one */
    runs?: number;
  }>;
  /** Whether the result of an earlier run was reused */
  cached: boolean;
  /** Set if the work of an earlier run was checked again */
  regraded_from?: {
    /** Id of the run whose work was checked */
    run: string;
    /** Its outcome; null: unknown */
    outcome: Outcome | null;
    /** What checking it cost, in US dollars; null: unknown */
    paid_usd: number | null;
  };
  /** Absolute path of the run */
  results_dir: string | null;
}

/** How a run ended. `error`: nothing can be said of the target. */
export type Outcome = 'pass' | 'fail' | 'error' | 'cancelled';

/** What ran, where, with which inputs, and how it ended: artifacts/run.json. */
export interface RunRecord {
  /** Version of the format: 2 if target or prompt is null, else 1 */
  schema_version: 1 | 2;
  /** Id of the run */
  run_id: string;
  /** Id of the sweep */
  sweep: string;
  /** Id of the cell */
  cell: string;
  /** Its workflow in Temporal */
  workflow_id: string;
  scenario: {
    /** Its name */
    name: string;
    /** Its description */
    description: string;
    /** Its file */
    file: string;
    /** Changes with its content, its fixture and its checks folder */
    hash: string;
    /** Its tier */
    tier: number;
    /** Its tags */
    tags: Array<string>;
    /** What the agent was asked; null: no agent took part */
    prompt: string | null;
  };
  /** The program under test; null: the scenario has none */
  target: {
    /** As the scenario names it */
    binary: string;
    /** Path of the program; null: not found */
    resolved: string | null;
    /** Changes with the content of the target; null: not found, or an older build */
    fingerprint: string | null;
    /** The health check, if there is one */
    health_check: CommandRecord | null;
  } | null;
  /** Name of the agent */
  agent_name: string;
  /** As requested */
  model: string;
  /** Name of the variant */
  variant: string;
  /** From 1 */
  repetition: number;
  /** Where it ran: local, bubblewrap, docker or e2b */
  environment: string;
  /** Where it ran; absent: results that are not shared */
  host?: {
    /** Id of the host */
    id: string;
    /** Name of the host */
    name: string;
  };
  /** Hosts that had this run before and were lost */
  lost_hosts?: Array<{
    /** Id of the host */
    id: string;
    /** Name of the host */
    name: string;
    /** When it was given up, ISO 8601 in UTC */
    at: string;
  }>;
  /** Image of the container */
  image?: {
    /** As the scenario names it */
    name: string;
    /** Id of the image */
    id: string;
  };
  /** Whether the agent was in a sandbox */
  sandboxed: boolean;
  /** What the sandbox isolated the agent and the checks from */
  sandbox?: {
    /** Whether files outside the run were hidden or read-only */
    filesystem: boolean;
    /** Whether the network was isolated */
    network: 'isolated' | 'shared';
  };
  /** ISO 8601 in UTC */
  started_at: string;
  /** ISO 8601 in UTC */
  ended_at: string;
  /** Without writing the report */
  duration_secs: number;
  /** Outcome of the run */
  outcome: Outcome;
  /** The reason, in a sentence */
  message: string;
  /** Null: not started, or its step failed for good */
  agent: AgentRecord | null;
  /** Starts of the agent in all; null: written by an older build */
  starts: number | null;
  /** The judge planned for the run; its scores are in metrics.json */
  judge: {
    /** As requested */
    model: string;
    /** As the scenario names it */
    rubric: string;
    /** Its files, relative to the run's folder */
    artifacts: Array<string>;
  } | null;
  /** Answers that gates, and other parts except the judge, asked a model for */
  asked?: {
    /** As requested */
    model: string;
    /** How many answers there were, usable or not */
    answers: number;
    /** Their tokens */
    usage: TokenUsage;
    /** Their price in US dollars; null: unknown */
    cost_usd: number | null;
    /** The known part of an unknown cost */
    cost_usd_at_least?: number;
    /** Their files, relative to the run's folder */
    artifacts: Array<string>;
  };
  /** Setup commands */
  setup: Array<CommandRecord>;
  /** Agent scripts of task.context */
  context: Array<CommandRecord>;
  /** Post scripts */
  post_scripts: Array<CommandRecord>;
  /** Whether mocks were ignored (`--live`) */
  live?: boolean;
  /** Calls of what is mocked */
  mocks?: {
    /** The mocks, as in the scenario */
    by_mock: Array<{
      /** What is mocked: a command, `METHOD /path`, `service.method` or `server.tool` */
      command: string;
      /** `when.args`, else `when.partialArgs`; of a tool, `when.input` */
      args: Array<string>;
      /** The calls that it answered */
      calls: Array<{
        /** Its arguments, or query and body: at most 100, of at most 1000 characters */
        args: Array<string>;
        /** The step that made it */
        step: string;
        /** Exit status of a command; null: not a command */
        exit_code: number | null;
        /** Status of the answer to a request */
        status?: number;
        /** Whether it failed because of `metadata.probability` */
        failed_by_chance: boolean;
      }>;
    }>;
    /** Calls that no mock answered */
    unmatched: Array<{
      /** The command, `METHOD /path`, `service.method` or `server.tool` */
      command: string;
      /** Its arguments, or query and body: at most 100, of at most 1000 characters */
      args: Array<string>;
      /** The step that made it */
      step: string;
      /** Exit status of a command; null: not a command */
      exit_code: number | null;
      /** Status of the answer to a request */
      status?: number;
      /** Whether it failed because of `metadata.probability` */
      failed_by_chance: boolean;
    }>;
    /** Matchers that threw, and so did not match */
    matcher_errors?: Array<{
      /** Number of the mock, from 1 */
      mock: number;
      /** What its matcher threw the first time */
      message: string;
      /** How often it threw */
      calls: number;
    }>;
    /** Whether there were calls beyond the first 1000 */
    more: boolean;
  };
  /** What was said, if there was more than one message */
  conversation?: {
    /** In order */
    turns: Array<{
      /** From 1 */
      number: number;
      /** What the user said, redacted */
      user: string;
      /** The agent's last message in this turn; null: it said nothing */
      agent: string | null;
    }>;
    /** How conversations with a simulated user ended */
    ended: Array<{
      /** Index of its step in the scenario */
      step: number;
      /** The turn after which it ended */
      turn: number;
      /** The condition that held, or what else ended it */
      reason: string;
    }>;
  };
  /** Set if the work of an earlier run was checked again */
  regraded_from?: {
    /** Id of the run whose work was checked */
    run: string;
    /** Its outcome; null: unknown */
    outcome: Outcome | null;
    /** What checking it cost, in US dollars; null: unknown */
    paid_usd: number | null;
  };
  /** What fixture/ lacks of the workspace; at most 100 entries */
  left_out?: Array<{
    /** Its path */
    path: string;
    /** Why it was left out */
    reason: string;
  }>;
  /** Steps in the order performed */
  steps: Array<{
    /** Name of the step */
    name: string;
    /** How it went */
    status: 'done' | 'failed' | 'not_performed';
    /** Null: not performed */
    duration_ms: number | null;
    /** Attempts by Temporal */
    attempts: number;
    /** Why it failed or was not performed */
    note: string | null;
    /** ISO 8601 in UTC; absent: not performed, or written by an older build */
    ended_at?: string;
  }>;
  /** Problems that do not change the outcome */
  warnings: Array<string>;
  /** Set if nothing was checked, because the scenario has neither gates nor a judge: the run counts in no rate */
  unchecked?: true;
  /** What is worse than in all earlier runs that it is compared with */
  regressions: Array<{
    /** What got worse */
    kind: 'score' | 'gate' | 'cost';
    /** In a sentence */
    message: string;
    /** Id of the previous run of the cell */
    since: string;
    /** Number of runs that it is compared with; absent: one */
    runs?: number;
  }>;
}

/** How the agent of a run was started and ended. */
export interface AgentRecord {
  /** How it ended */
  ending:
    | 'done'
    | 'gave_up'
    | 'max_turns'
    | 'timeout'
    | 'idle_timeout'
    | 'max_cost'
    | 'crashed'
    | 'unable'
    | 'cancelled';
  /** Whether it ended by itself and successfully */
  completed: boolean;
  /** Null: none, it was killed */
  exit_code: number | null;
  /** How it ended, in a sentence */
  message: string;
  /** What its version command printed */
  version: string | null;
  /** How its processes were contained; null: not started */
  containment: 'pidns' | 'userns' | 'group' | 'container' | null;
  /** Whether it used the user's login instead of a key */
  login: boolean;
  /** Its session, for a resume */
  session_id: string | null;
  /** As the agent reports it */
  model_used: string | null;
  /** Of all starts */
  duration_ms: number;
  /** Number of times this run of the agent was started */
  starts: number;
  /** Size of its output */
  output_bytes: number;
  /** Its output is plain text, which shows no tools, and commands only in part; absent: events */
  text_output?: true;
  /** Lines of its output that are not valid events, or have numbers that cannot be right; absent: none, or plain text */
  output_problems?: {
    /** Number of invalid lines */
    lines: number;
    /** Number of valid events */
    events: number;
    /** Whether something that the agent did may be missing */
    unread: boolean;
    /** The first invalid lines, at most 20 */
    first: Array<{
      /** Start of the agent, from 1 */
      start: number;
      /** Line of what it printed in that start, from 1 */
      line: number;
      /** The first invalid field; null: the line is no event */
      field: string | null;
      /** What was found and what is expected, redacted */
      message: string;
    }>;
  };
  /** Of all starts; null throughout if a part is unknown, as after an interruption */
  token_usage: TokenUsage;
  /** The first request of its session to the model; absent: the agent does not say, or an older build */
  first_request?: {
    /** Tokens that the model was sent, with those read from a cache or written to it; null: unknown */
    tokens: number | null;
    /** Why they are unknown */
    unknown?: string;
  };
  /** The known part, if another is unknown */
  token_usage_at_least?: TokenUsage;
  /** Of all starts; null: unknown */
  cost_usd: number | null;
  /** The known part of an unknown cost */
  cost_usd_at_least?: number;
  /** The agent, the config's prices or the public price list */
  cost_source: 'reported' | 'config' | 'list' | null;
  /** How other starts and attempts ended */
  history: Array<string>;
}

/** One setup command, health check or post script. */
export interface CommandRecord {
  /** The command */
  command: string;
  /** Null: none, it was killed */
  exit_code: number | null;
  /** Whether its time ran out */
  timed_out: boolean;
  /** Duration */
  duration_ms: number;
  /** Beginning of stdout, redacted */
  stdout: string;
  /** Beginning of stderr, redacted */
  stderr: string;
}

/** Tokens. Counts do not overlap; null: unknown. */
export interface TokenUsage {
  /** Without those from a cache */
  input: number | null;
  /** Without reasoning */
  output: number | null;
  /** Reasoning tokens */
  reasoning: number | null;
  /** Read from a cache */
  cache_read: number | null;
  /** Written to a cache */
  cache_write: number | null;
}

/** Gates and scores of a run: metrics.json. */
export interface Metrics {
  /** Version of the format */
  schema_version: 1;
  /** Id of the run */
  run_id: string;
  /** Outcome of the run */
  outcome: Outcome;
  /** Whether the agent ended by itself and successfully; null: not started */
  completed: boolean | null;
  /** Gates that passed */
  gates_passed: number;
  /** Gates of the scenario */
  gates_total: number;
  /** The gates that were checked */
  details: Array<GateDetail>;
  /** Calls of the target; null without a transcript */
  efficiency: {
    /** Calls of the target */
    total_commands: number;
    /** Different names of called commands */
    unique_commands: number;
    /** Calls that failed */
    error_count: number;
    /** Total minus unique: calls that repeat a name, even if nothing failed */
    retry_count: number;
    /** Calls for help */
    help_invocations: number;
    /** Names whose first call succeeded / names; null without calls */
    first_try_success_rate: number | null;
    /** Unique / total; 0 without calls */
    iteration_ratio: number;
  } | null;
  /** What the agent did; null: no agent took part; absent: written by an older build */
  agent_work?: {
    /** Tokens of all kinds together; null: unknown */
    tokens: number | null;
    /** Tokens of the first request to the model, which include the subject; null: unknown; absent: the agent does not say, or an older build */
    first_request_tokens?: number | null;
    /** Tools of the MCP servers under test, of which the agent was told; absent: none, or an older build */
    mcp_tools?: {
      /** Number of tools */
      count: number;
      /** Bytes of their definitions as JSON */
      bytes: number;
    };
    /** Calls of tools; null: unknown */
    tool_calls: number | null;
    /** Names of the called tools in order, at most 100, then … if there were more; null: unknown */
    actions: Array<string> | null;
  } | null;
  /** Null: no judge was asked, or none of its answers could be used */
  judge: {
    /** As requested */
    model: string;
    /** As the provider names it */
    model_used: string | null;
    /** By criterion, 0 to 1; like all numbers here, the mean of the votes */
    scores: Record<string, number>;
    /** Scores weighted by the rubric */
    weighted_score: number;
    /** Weighted score of each vote */
    votes: Array<number>;
    /** How far the votes are apart; null: a single vote */
    spread: {
      /** Highest minus lowest */
      range: number;
      /** Standard deviation of a sample */
      deviation: number;
    } | null;
    /** From 0 to 1 */
    confidence: number;
    /** Of all votes */
    issues: Array<string>;
    /** Of all votes */
    highlights: Array<string>;
    /** Other fields that the rubric's require_fields names */
    fields: Record<string, Json>;
    /** As in the scenario */
    pass_threshold: number;
    /** Whether the score reaches the threshold */
    passed: boolean;
    /** Tokens of all answers, also unusable ones */
    usage: TokenUsage;
    /** Their price; null: unknown */
    cost_usd: number | null;
    /** The known part of an unknown cost */
    cost_usd_at_least?: number;
    /** Answers, usable or not */
    attempts: number;
  } | null;
  /** Only of runs that passed or failed */
  composite_score?: number;
  /** The evaluators */
  evaluator_results: Array<{
    /** Name of the evaluator */
    name: string;
    /** What it measured */
    metrics: Json | null;
    /** From 0 to 1 */
    score: number | null;
    /** Its summary in words */
    summary: string | null;
    /** Why its answer could not be used */
    error: string | null;
  }>;
}

/** One gate of a run. */
export interface GateDetail {
  /** Position in the scenario, from 0 */
  index: number;
  /** Type of the gate */
  gate_type: string;
  /** Name that the scenario gives it */
  name: string | null;
  /** What is checked, in a few words: notes.md */
  subject: string;
  /** error: the check could not be performed */
  status: 'pass' | 'fail' | 'error';
  /** Whether the status is pass */
  passed: boolean;
  /** What was found */
  message: string;
  /** What a script printed as its detail */
  detail: Json | null;
  /** Duration */
  duration_ms: number;
  /** Model or agent that was asked, as requested; absent: none, or written by an older build */
  judged_by?: string;
  /** The same as the provider names it; absent: unknown */
  model_used?: string;
  /** Why the agent could have forged what the gate looked at; absent: it could not */
  forgeable?: string;
}

/** What `compare --json` prints. */
export interface Comparison {
  /** Version of the format */
  schema_version: 2;
  /** Before */
  base: {
    /** Id of the sweep */
    sweep: string;
    /** The only variant compared; null: all variants */
    variant: string | null;
    /** ISO 8601 in UTC */
    started: string;
    /** open: not ended; the results so far are compared */
    status: 'open' | 'completed' | 'cancelled';
    /** Why a sweep of `run --until-clear` started no more runs; absent: it is no such sweep */
    stopped?: 'clear' | 'futile' | 'most runs' | 'budget' | 'errors' | 'cancelled' | null;
    /** The baseline file, if base is one; `sweep` and `started` are those of its newest line */
    baseline?: string;
  };
  /** After */
  head: {
    /** Id of the sweep */
    sweep: string;
    /** The only variant compared; null: all variants */
    variant: string | null;
    /** ISO 8601 in UTC */
    started: string;
    /** open: not ended; the results so far are compared */
    status: 'open' | 'completed' | 'cancelled';
    /** Why a sweep of `run --until-clear` started no more runs; absent: it is no such sweep */
    stopped?: 'clear' | 'futile' | 'most runs' | 'budget' | 'errors' | 'cancelled' | null;
    /** The baseline file, if base is one; `sweep` and `started` are those of its newest line */
    baseline?: string;
  };
  /** Level of significance */
  alpha: number;
  /** The largest loss that is accepted, as a share; null: none given */
  margin: number | null;
  /** Of all configurations together */
  verdict: 'better' | 'worse' | 'no difference shown' | 'too few runs' | 'nothing to compare';
  /** Result of --gate */
  gate: {
    /** Decides the exit code of --gate; `not shown`: no margin was given, and no loss is shown, nor that there is none */
    result: 'not worse' | 'not shown' | 'worse' | 'undecided' | 'not tested';
    /** Why it is neither `not worse` nor `not shown`, and which configurations moved it: sentences */
    reasons: Array<string>;
  };
  /** All configurations with tested runs on both sides, each with the same weight */
  total: {
    /** Cells of base */
    base: {
      /** Runs that passed */
      passed: number;
      /** Runs that passed or failed and count here */
      tested: number;
      /** Passed / tested; for several configurations, the mean of their pass rates */
      rate: number | null;
      /** Interval of the pass rate (Wilson) at the confidence 1 - alpha; null for several configurations */
      interval: {
        /** Lower end */
        low: number;
        /** Upper end */
        high: number;
      } | null;
      /** Configurations in which some runs of the same build of the target passed and some failed */
      flaky: number;
      /** Tested runs reused from earlier sweeps */
      reused: number;
      /** Left out: the same run as on the other side */
      shared: number;
      /** Rerun although they had a result; the first result counts */
      retried: number;
      /** Tested, but only after a run of the cell had ended without a result: what it hid is unknown */
      after_errors: number;
      /** Of these, those that passed */
      passed_after_errors: number;
      /** Left out: outcome error */
      errored: number;
      /** Left out: cancelled */
      cancelled: number;
      /** Left out: no result yet */
      waiting: number;
    };
    /** Cells of head */
    head: {
      /** Runs that passed */
      passed: number;
      /** Runs that passed or failed and count here */
      tested: number;
      /** Passed / tested; for several configurations, the mean of their pass rates */
      rate: number | null;
      /** Interval of the pass rate (Wilson) at the confidence 1 - alpha; null for several configurations */
      interval: {
        /** Lower end */
        low: number;
        /** Upper end */
        high: number;
      } | null;
      /** Configurations in which some runs of the same build of the target passed and some failed */
      flaky: number;
      /** Tested runs reused from earlier sweeps */
      reused: number;
      /** Left out: the same run as on the other side */
      shared: number;
      /** Rerun although they had a result; the first result counts */
      retried: number;
      /** Tested, but only after a run of the cell had ended without a result: what it hid is unknown */
      after_errors: number;
      /** Of these, those that passed */
      passed_after_errors: number;
      /** Left out: outcome error */
      errored: number;
      /** Left out: cancelled */
      cancelled: number;
      /** Left out: no result yet */
      waiting: number;
    };
    /** Pass rate of head minus pass rate of base; for several configurations, the mean of their differences */
    difference: number | null;
    /** Interval of the difference (Miettinen-Nurminen) at the confidence 1 - alpha; excludes 0 exactly if the verdict is `better` or `worse` */
    interval: {
      /** Lower end */
      low: number;
      /** Upper end */
      high: number;
    } | null;
    /** Two-sided: of the score test that the interval inverts; with few runs, the larger of it and an exact p (mid-p; Boschloo for a single configuration); null: nothing to test */
    p: number | null;
    /** The smallest p, adjusted if there is an adjusted one, that is possible with these numbers of runs */
    smallest_p: number | null;
    /** Whether `better` or `worse` would remain whatever errors and untested cells have hidden; null: neither */
    robust: boolean | null;
    /** Whether head is not worse by the margin or more; null: no margin, or nothing to test */
    not_worse: {
      /** Lower bound of the difference, one-sided at the confidence 1 - alpha */
      bound: number;
      /** Whether the bound is above the negative margin */
      holds: boolean;
    } | null;
    /** Whether head is neither worse nor better by the margin or more; null: no margin, or nothing to test */
    equivalent: boolean | null;
    /** Numbers of the tested runs besides passing */
    measures: Array<{
      /** What is measured */
      name:
        | 'cost_usd'
        | 'cost_per_pass_usd'
        | 'duration_secs'
        | 'tokens'
        | 'tool_calls'
        | 'commands'
        | 'first_try_success_rate'
        | 'judge_score'
        | 'human_score'
        | 'composite_score';
      /** mean: of the means of the configurations that have it on both sides; per pass: mean cost / mean pass rate */
      of: 'mean' | 'per pass';
      /** Before */
      base: {
        /** Null: unknown */
        value: number | null;
        /** Number of runs measured */
        runs: number;
      };
      /** After */
      head: {
        /** Null: unknown */
        value: number | null;
        /** Number of runs measured */
        runs: number;
      };
      /** Null: not known on both sides, or not tested */
      effect: {
        /** `ratio`: head / base; `difference`: head - base */
        kind: 'ratio' | 'difference';
        /** Of the two means */
        value: number;
        /** At the confidence 1 - alpha; null: too few runs to show any change */
        interval: {
          /** Lower end */
          low: number;
          /** Upper end */
          high: number;
        } | null;
        /** Two-sided, permutation test; not corrected for the number of measures; null: too few runs */
        p: number | null;
      } | null;
    }>;
    /** Set if difference, interval, p and verdict are those with which `run --until-clear` has stopped, because these are its two sides */
    sequential?: true;
    /** Null: a configuration has only one run */
    reliability: {
      /** Half of the runs that every compared configuration has on both sides, rounded up */
      k: number;
      /** Mean over configurations, before */
      base: {
        /** Probability that at least one of k runs passes (pass@k) */
        pass_at_k: {
          /** Unbiased estimate */
          value: number;
          /** At the confidence 1 - alpha */
          interval: {
            /** Lower end */
            low: number;
            /** Upper end */
            high: number;
          };
        };
        /** Probability that all of k runs pass (pass^k) */
        pass_hat_k: {
          /** Unbiased estimate */
          value: number;
          /** At the confidence 1 - alpha */
          interval: {
            /** Lower end */
            low: number;
            /** Upper end */
            high: number;
          };
        };
      };
      /** Mean over configurations, after */
      head: {
        /** Probability that at least one of k runs passes (pass@k) */
        pass_at_k: {
          /** Unbiased estimate */
          value: number;
          /** At the confidence 1 - alpha */
          interval: {
            /** Lower end */
            low: number;
            /** Upper end */
            high: number;
          };
        };
        /** Probability that all of k runs pass (pass^k) */
        pass_hat_k: {
          /** Unbiased estimate */
          value: number;
          /** At the confidence 1 - alpha */
          interval: {
            /** Lower end */
            low: number;
            /** Upper end */
            high: number;
          };
        };
      };
    } | null;
    /** How many more runs show a difference of this size; null: nothing to compare */
    needed: {
      /** The margin, or 0.2 */
      difference: number;
      /** The probability of showing this difference if it is real */
      power: number;
      /** Further runs of each configuration on each side; 0: enough */
      runs: number;
    } | null;
    /** The difference to expect of other scenarios like these; null: fewer than 6 scenarios to compare */
    other_scenarios: {
      /** Scenarios with runs on both sides, taken as a sample */
      scenarios: number;
      /** Mean of their differences, each scenario with the same weight */
      difference: number;
      /** Student's t interval at the confidence 1 - alpha, no shorter than `interval` */
      interval: {
        /** Lower end */
        low: number;
        /** Upper end */
        high: number;
      };
      /** Where differences come from; null: a configuration has a single run on a side */
      variance: {
        /** Of pass rates, between scenarios */
        scenario: number;
        /** Of the difference of both sides, between scenarios */
        difference: number;
        /** What runs of the same scenario add to its difference */
        runs: number;
      } | null;
    } | null;
  };
  /** One for each scenario, agent, model and variant on both sides */
  configurations: Array<ComparedConfiguration>;
  /** The same by value of each parameter, if both sweeps are of the same matrix of ElizaOS */
  parameters?: Array<{
    /** Field of the scenario file that varies */
    parameter: string;
    /** One of its values */
    value: Json;
    /** Configurations with this value on both sides */
    configurations: number;
    /** Cells of base */
    base: {
      /** Runs that passed */
      passed: number;
      /** Runs that passed or failed and count here */
      tested: number;
      /** Passed / tested; for several configurations, the mean of their pass rates */
      rate: number | null;
      /** Interval of the pass rate (Wilson) at the confidence 1 - alpha; null for several configurations */
      interval: {
        /** Lower end */
        low: number;
        /** Upper end */
        high: number;
      } | null;
      /** Configurations in which some runs of the same build of the target passed and some failed */
      flaky: number;
      /** Tested runs reused from earlier sweeps */
      reused: number;
      /** Left out: the same run as on the other side */
      shared: number;
      /** Rerun although they had a result; the first result counts */
      retried: number;
      /** Tested, but only after a run of the cell had ended without a result: what it hid is unknown */
      after_errors: number;
      /** Of these, those that passed */
      passed_after_errors: number;
      /** Left out: outcome error */
      errored: number;
      /** Left out: cancelled */
      cancelled: number;
      /** Left out: no result yet */
      waiting: number;
    };
    /** Cells of head */
    head: {
      /** Runs that passed */
      passed: number;
      /** Runs that passed or failed and count here */
      tested: number;
      /** Passed / tested; for several configurations, the mean of their pass rates */
      rate: number | null;
      /** Interval of the pass rate (Wilson) at the confidence 1 - alpha; null for several configurations */
      interval: {
        /** Lower end */
        low: number;
        /** Upper end */
        high: number;
      } | null;
      /** Configurations in which some runs of the same build of the target passed and some failed */
      flaky: number;
      /** Tested runs reused from earlier sweeps */
      reused: number;
      /** Left out: the same run as on the other side */
      shared: number;
      /** Rerun although they had a result; the first result counts */
      retried: number;
      /** Tested, but only after a run of the cell had ended without a result: what it hid is unknown */
      after_errors: number;
      /** Of these, those that passed */
      passed_after_errors: number;
      /** Left out: outcome error */
      errored: number;
      /** Left out: cancelled */
      cancelled: number;
      /** Left out: no result yet */
      waiting: number;
    };
    /** Pass rate of head minus pass rate of base; for several configurations, the mean of their differences */
    difference: number | null;
    /** Interval of the difference (Miettinen-Nurminen) at the confidence 1 - alpha; excludes 0 exactly if the verdict is `better` or `worse` */
    interval: {
      /** Lower end */
      low: number;
      /** Upper end */
      high: number;
    } | null;
    /** Two-sided: of the score test that the interval inverts; with few runs, the larger of it and an exact p (mid-p; Boschloo for a single configuration); null: nothing to test */
    p: number | null;
    /** The smallest p, adjusted if there is an adjusted one, that is possible with these numbers of runs */
    smallest_p: number | null;
    /** Verdict based on p */
    verdict: 'better' | 'worse' | 'no difference shown' | 'too few runs' | 'nothing to compare';
    /** Whether `better` or `worse` would remain whatever errors and untested cells have hidden; null: neither */
    robust: boolean | null;
    /** Whether head is not worse by the margin or more; null: no margin, or nothing to test */
    not_worse: {
      /** Lower bound of the difference, one-sided at the confidence 1 - alpha */
      bound: number;
      /** Whether the bound is above the negative margin */
      holds: boolean;
    } | null;
    /** Whether head is neither worse nor better by the margin or more; null: no margin, or nothing to test */
    equivalent: boolean | null;
    /** Numbers of the tested runs besides passing */
    measures: Array<{
      /** What is measured */
      name:
        | 'cost_usd'
        | 'cost_per_pass_usd'
        | 'duration_secs'
        | 'tokens'
        | 'tool_calls'
        | 'commands'
        | 'first_try_success_rate'
        | 'judge_score'
        | 'human_score'
        | 'composite_score';
      /** mean: of the means of the configurations that have it on both sides; per pass: mean cost / mean pass rate */
      of: 'mean' | 'per pass';
      /** Before */
      base: {
        /** Null: unknown */
        value: number | null;
        /** Number of runs measured */
        runs: number;
      };
      /** After */
      head: {
        /** Null: unknown */
        value: number | null;
        /** Number of runs measured */
        runs: number;
      };
      /** Null: not known on both sides, or not tested */
      effect: {
        /** `ratio`: head / base; `difference`: head - base */
        kind: 'ratio' | 'difference';
        /** Of the two means */
        value: number;
        /** At the confidence 1 - alpha; null: too few runs to show any change */
        interval: {
          /** Lower end */
          low: number;
          /** Upper end */
          high: number;
        } | null;
        /** Two-sided, permutation test; not corrected for the number of measures; null: too few runs */
        p: number | null;
      } | null;
    }>;
    /** p allowing for the number of values of all parameters (Holm); decides the verdict */
    adjusted_p: number | null;
    /** Capabilities that gates checked */
    capabilities: Array<{
      /** As the gate `llm_judge` names it */
      capability: string;
      /** Before */
      base: {
        /** How often it was achieved */
        achieved: number;
        /** How often it was checked */
        checked: number;
      };
      /** After */
      head: {
        /** How often it was achieved */
        achieved: number;
        /** How often it was checked */
        checked: number;
      };
    }>;
    /** The most frequent sequences of tools */
    common_trajectories: {
      /** Before */
      base: Array<{
        /** Names of the called tools, in order; empty: none was called */
        sequence: Array<string>;
        /** Runs with exactly this sequence */
        count: number;
        /** count / runs whose sequence is known, from 0 to 1 */
        percentage: number;
        /** Mean duration of these runs */
        average_duration_secs: number | null;
      }>;
      /** After */
      head: Array<{
        /** Names of the called tools, in order; empty: none was called */
        sequence: Array<string>;
        /** Runs with exactly this sequence */
        count: number;
        /** count / runs whose sequence is known, from 0 to 1 */
        percentage: number;
        /** Mean duration of these runs */
        average_duration_secs: number | null;
      }>;
    };
  }>;
  /** What the subject adds to the context before the first turn, by agent and model; absent: both sides have the same subject */
  subject_tokens?: Array<{
    /** Name of the agent */
    agent: string;
    /** Name of the model */
    model: string;
    /** Parts of the subject that only head has, like `skill pdf` */
    added: Array<string>;
    /** Parts that only base has; a part with another content is in both lists */
    removed: Array<string>;
    /** Tokens of head minus tokens of base: the median over scenarios; null: unknown */
    difference: number | null;
    /** The tools of its MCP servers, of which the most were seen; absent: none. Some agents tell the model only names at first */
    mcp_tools?: {
      /** Number of tools */
      count: number;
      /** Bytes of their definitions as JSON */
      bytes: number;
    };
    /** The scenarios, each with the size of its first requests to the model */
    scenarios: Array<{
      /** Name of the scenario */
      scenario: string;
      /** Name of the variant */
      variant: string;
      /** First requests of base */
      base: {
        /** Median of the known ones; null: none is known */
        tokens: number | null;
        /** Runs of which the size is known */
        runs: number;
        /** Runs of which it is not */
        unknown: number;
      };
      /** First requests of head */
      head: {
        /** Median of the known ones; null: none is known */
        tokens: number | null;
        /** Runs of which the size is known */
        runs: number;
        /** Runs of which it is not */
        unknown: number;
      };
      /** Whether nothing else differs between the sides that may change the first request */
      comparable: boolean;
      /** Difference of these medians; null: one is unknown, or they are not comparable */
      difference: number | null;
    }>;
  }>;
  /** Not compared */
  only_in_base: Array<{
    /** Name of the scenario */
    scenario: string;
    /** Name of the agent */
    agent: string;
    /** Name of the model */
    model: string;
    /** Name of the variant */
    variant: string;
  }>;
  /** Not compared */
  only_in_head: Array<{
    /** Name of the scenario */
    scenario: string;
    /** Name of the agent */
    agent: string;
    /** Name of the model */
    model: string;
    /** Name of the variant */
    variant: string;
  }>;
  /** What differs besides outcomes */
  changes: Array<{
    /** What differs besides outcomes */
    what: string;
    /** Value as text; null: none, or not kept */
    base: string | null;
    /** Value as text; null: none, or not kept */
    head: string | null;
    /** Whether it may explain a difference without any change of the target */
    doubtful: boolean;
    /** Scenarios or agents concerned; empty: all */
    of: Array<string>;
  }>;
  /** The judges compared with people; absent: no run was judged */
  calibration?: {
    /** Before */
    base: Array<Calibration>;
    /** After */
    head: Array<Calibration>;
  };
  /** Gates that a model decided, compared with people; absent: none */
  gate_calibration?: {
    /** Before */
    base: Array<{
      /** The scenario with the gate */
      scenario: string;
      /** Place of the gate in the scenario, from 1 */
      number: number;
      /** Type and name of the gate */
      gate: string;
      /** The model that decided it, as requested */
      judge: string;
      /** Runs of this sweep in which it decided the gate */
      judged: number;
      /** How many of these passed the gate */
      passed: number;
      /** Runs in which a person decided it too, also in earlier sweeps */
      reviewed: number;
      /** How many of these have the same verdict */
      agreed: number;
      /** 95 % interval of agreed / reviewed (Wilson); null: none reviewed */
      interval: {
        /** Lower end */
        low: number;
        /** Upper end */
        high: number;
      } | null;
      /** Cohen's kappa: 1 is perfect agreement, 0 is that of chance; null: fewer than 2 runs, or all verdicts alike */
      kappa: number | null;
      /** 95 % interval of kappa */
      kappa_interval: {
        /** Lower end */
        low: number;
        /** Upper end */
        high: number;
      } | null;
      /** Based on the interval of kappa */
      verdict: 'not calibrated' | 'unclear' | 'low agreement' | 'agrees';
      /** Reviewed runs that the model passed and the person failed */
      passed_alone: number;
      /** Reviewed runs that the model failed and the person passed */
      failed_alone: number;
      /** passed / judged corrected by people's verdicts; null: fewer than 2 runs of this sweep have one */
      corrected: {
        /** Share of all of them that people would pass */
        rate: number;
        /** 95 % interval */
        interval: {
          /** Lower end */
          low: number;
          /** Upper end */
          high: number;
        };
        /** Runs of this sweep that it is based on */
        reviewed: number;
      } | null;
    }>;
    /** After */
    head: Array<{
      /** The scenario with the gate */
      scenario: string;
      /** Place of the gate in the scenario, from 1 */
      number: number;
      /** Type and name of the gate */
      gate: string;
      /** The model that decided it, as requested */
      judge: string;
      /** Runs of this sweep in which it decided the gate */
      judged: number;
      /** How many of these passed the gate */
      passed: number;
      /** Runs in which a person decided it too, also in earlier sweeps */
      reviewed: number;
      /** How many of these have the same verdict */
      agreed: number;
      /** 95 % interval of agreed / reviewed (Wilson); null: none reviewed */
      interval: {
        /** Lower end */
        low: number;
        /** Upper end */
        high: number;
      } | null;
      /** Cohen's kappa: 1 is perfect agreement, 0 is that of chance; null: fewer than 2 runs, or all verdicts alike */
      kappa: number | null;
      /** 95 % interval of kappa */
      kappa_interval: {
        /** Lower end */
        low: number;
        /** Upper end */
        high: number;
      } | null;
      /** Based on the interval of kappa */
      verdict: 'not calibrated' | 'unclear' | 'low agreement' | 'agrees';
      /** Reviewed runs that the model passed and the person failed */
      passed_alone: number;
      /** Reviewed runs that the model failed and the person passed */
      failed_alone: number;
      /** passed / judged corrected by people's verdicts; null: fewer than 2 runs of this sweep have one */
      corrected: {
        /** Share of all of them that people would pass */
        rate: number;
        /** 95 % interval */
        interval: {
          /** Lower end */
          low: number;
          /** Upper end */
          high: number;
        };
        /** Runs of this sweep that it is based on */
        reviewed: number;
      } | null;
    }>;
  };
  /** Whether the models that judged are the same on both sides; absent: none judged, or both sides are of one sweep */
  judge_drift?: {
    /** `moved`: more verdicts changed in one direction than chance explains; `same`: no such drift is shown; `not checked`: no kept answer of base was judged again */
    state: 'same' | 'moved' | 'not checked';
    /** What the records of both sides say differently of their judges: sentences; empty: nothing */
    differs: Array<string>;
    /** Compared runs of base that a model judged */
    judged: number;
    /** Of these, those judged again as head was: by `regrade` */
    again: number;
    /** Of these, runs that passed before and fail now */
    to_fail: number;
    /** Of these, runs that failed before and pass now */
    to_pass: number;
    /** Judged again, but left out: a check that asks no model has another verdict, too */
    left_out: number;
    /** (to_pass - to_fail) / again */
    moved: number | null;
    /** Its interval (Tango) at the confidence 1 - alpha */
    interval: {
      /** Lower end */
      low: number;
      /** Upper end */
      high: number;
    } | null;
    /** Two-sided: of the exact test of McNemar */
    p: number | null;
    /** The sweeps in which they were judged again */
    sweeps: Array<string>;
    /** The most days between that and the start of head */
    days: number | null;
    /** The change as the judge of head sees it; null: not checked, or nothing to test */
    without: {
      /** The difference of all configurations less what the judge moved */
      difference: number;
      /** At the confidence 1 - alpha */
      interval: {
        /** Lower end */
        low: number;
        /** Upper end */
        high: number;
      };
    } | null;
    /** Whether the judge could be the reason for the verdict, or for the claim about the margin */
    explains: boolean;
    /** The sample that shows whether the judge has moved; null: base keeps no answers */
    sample: {
      /** Runs of base to judge again */
      runs: number;
      /** Its cost by what judging them has cost before; null: unknown */
      usd: number | null;
      /** The model that judged head, if another one was asked in base */
      model: string | null;
    } | null;
  };
  /** Reasons to doubt these numbers */
  doubts: Array<string>;
}

/** Both sides of a scenario with an agent, a model and a variant. */
export interface ComparedConfiguration {
  /** Name of the scenario */
  scenario: string;
  /** Name of the agent */
  agent: string;
  /** Name of the model */
  model: string;
  /** Name of the variant */
  variant: string;
  /** Cells of base */
  base: {
    /** Runs that passed */
    passed: number;
    /** Runs that passed or failed and count here */
    tested: number;
    /** Passed / tested; for several configurations, the mean of their pass rates */
    rate: number | null;
    /** Interval of the pass rate (Wilson) at the confidence 1 - alpha; null for several configurations */
    interval: {
      /** Lower end */
      low: number;
      /** Upper end */
      high: number;
    } | null;
    /** Configurations in which some runs of the same build of the target passed and some failed */
    flaky: number;
    /** Tested runs reused from earlier sweeps */
    reused: number;
    /** Left out: the same run as on the other side */
    shared: number;
    /** Rerun although they had a result; the first result counts */
    retried: number;
    /** Tested, but only after a run of the cell had ended without a result: what it hid is unknown */
    after_errors: number;
    /** Of these, those that passed */
    passed_after_errors: number;
    /** Left out: outcome error */
    errored: number;
    /** Left out: cancelled */
    cancelled: number;
    /** Left out: no result yet */
    waiting: number;
  };
  /** Cells of head */
  head: {
    /** Runs that passed */
    passed: number;
    /** Runs that passed or failed and count here */
    tested: number;
    /** Passed / tested; for several configurations, the mean of their pass rates */
    rate: number | null;
    /** Interval of the pass rate (Wilson) at the confidence 1 - alpha; null for several configurations */
    interval: {
      /** Lower end */
      low: number;
      /** Upper end */
      high: number;
    } | null;
    /** Configurations in which some runs of the same build of the target passed and some failed */
    flaky: number;
    /** Tested runs reused from earlier sweeps */
    reused: number;
    /** Left out: the same run as on the other side */
    shared: number;
    /** Rerun although they had a result; the first result counts */
    retried: number;
    /** Tested, but only after a run of the cell had ended without a result: what it hid is unknown */
    after_errors: number;
    /** Of these, those that passed */
    passed_after_errors: number;
    /** Left out: outcome error */
    errored: number;
    /** Left out: cancelled */
    cancelled: number;
    /** Left out: no result yet */
    waiting: number;
  };
  /** Pass rate of head minus pass rate of base; for several configurations, the mean of their differences */
  difference: number | null;
  /** Interval of the difference (Miettinen-Nurminen) at the confidence 1 - alpha; excludes 0 exactly if the verdict is `better` or `worse` */
  interval: {
    /** Lower end */
    low: number;
    /** Upper end */
    high: number;
  } | null;
  /** Two-sided: of the score test that the interval inverts; with few runs, the larger of it and an exact p (mid-p; Boschloo for a single configuration); null: nothing to test */
  p: number | null;
  /** The smallest p, adjusted if there is an adjusted one, that is possible with these numbers of runs */
  smallest_p: number | null;
  /** Verdict based on p */
  verdict: 'better' | 'worse' | 'no difference shown' | 'too few runs' | 'nothing to compare';
  /** Whether `better` or `worse` would remain whatever errors and untested cells have hidden; null: neither */
  robust: boolean | null;
  /** Whether head is not worse by the margin or more; null: no margin, or nothing to test */
  not_worse: {
    /** Lower bound of the difference, one-sided at the confidence 1 - alpha */
    bound: number;
    /** Whether the bound is above the negative margin */
    holds: boolean;
  } | null;
  /** Whether head is neither worse nor better by the margin or more; null: no margin, or nothing to test */
  equivalent: boolean | null;
  /** Numbers of the tested runs besides passing */
  measures: Array<{
    /** What is measured */
    name:
      | 'cost_usd'
      | 'cost_per_pass_usd'
      | 'duration_secs'
      | 'tokens'
      | 'tool_calls'
      | 'commands'
      | 'first_try_success_rate'
      | 'judge_score'
      | 'human_score'
      | 'composite_score';
    /** mean: of the means of the configurations that have it on both sides; per pass: mean cost / mean pass rate */
    of: 'mean' | 'per pass';
    /** Before */
    base: {
      /** Null: unknown */
      value: number | null;
      /** Number of runs measured */
      runs: number;
    };
    /** After */
    head: {
      /** Null: unknown */
      value: number | null;
      /** Number of runs measured */
      runs: number;
    };
    /** Null: not known on both sides, or not tested */
    effect: {
      /** `ratio`: head / base; `difference`: head - base */
      kind: 'ratio' | 'difference';
      /** Of the two means */
      value: number;
      /** At the confidence 1 - alpha; null: too few runs to show any change */
      interval: {
        /** Lower end */
        low: number;
        /** Upper end */
        high: number;
      } | null;
      /** Two-sided, permutation test; not corrected for the number of measures; null: too few runs */
      p: number | null;
    } | null;
  }>;
  /** The pass rates drawn towards those of the other scenarios, which are closer to the truth than those of few runs; null: the agent, model and variant have fewer than 6 scenarios */
  estimate: {
    /** Before */
    base: {
      /** The pass rate that all scenarios of this side suggest */
      rate: number;
      /** Its interval at the confidence 1 - alpha */
      interval: {
        /** Lower end */
        low: number;
        /** Upper end */
        high: number;
      };
    };
    /** After */
    head: {
      /** The pass rate that all scenarios of this side suggest */
      rate: number;
      /** Its interval at the confidence 1 - alpha */
      interval: {
        /** Lower end */
        low: number;
        /** Upper end */
        high: number;
      };
    };
  } | null;
  /** p allowing for the number of configurations (step-down min-p); decides the verdict */
  adjusted_p: number | null;
  /** Gates that pass more or less often than before */
  gates: Array<{
    /** Type and name of the gate */
    gate: string;
    /** Before */
    base: {
      /** How often it passed */
      passed: number;
      /** How often it was checked */
      checked: number;
    };
    /** After */
    head: {
      /** How often it passed */
      passed: number;
      /** How often it was checked */
      checked: number;
    };
    /** Direction */
    change: 'better' | 'worse';
  }>;
  /** Whether everything that a result depends on is the same; null: unknown */
  same_inputs: boolean | null;
}

/** What `compare --agents --json` prints. */
export interface Ranking {
  /** Version of the format */
  schema_version: 1;
  /** Id of the sweep */
  sweep: string;
  /** ISO 8601 in UTC */
  started: string;
  /** open: not ended; these are the results so far */
  status: 'open' | 'completed' | 'cancelled';
  /** Chance of any false difference among all pairs */
  alpha: number;
  /** The difference of pass rates that is accepted, as a share; null: none given */
  margin: number | null;
  /** Scenarios, with their variants, in which any agent was tested */
  scenarios: Array<string>;
  /** By rank; those that are not ranked come last */
  agents: Array<{
    /** Name of the agent */
    agent: string;
    /** Name of the model */
    model: string;
    /** Place by pass rate, from 1; equal rates share it; null: a scenario is missing */
    rank: number | null;
    /** Runs that passed */
    passed: number;
    /** Runs that passed or failed */
    tested: number;
    /** Mean of the pass rates of its scenarios, each with the same weight */
    rate: number | null;
    /** 95 % interval of the rate */
    interval: {
      /** Lower end */
      low: number;
      /** Upper end */
      high: number;
    } | null;
    /** Scenarios in which no run of it passed or failed, but one of others did */
    missing: Array<string>;
    /** Tested, but only after a run of the cell had ended without a result: what it hid is unknown */
    after_errors: number;
    /** Left out: outcome error */
    errored: number;
    /** Left out: cancelled */
    cancelled: number;
    /** Left out: no result yet */
    waiting: number;
    /** Mean cost of a tested run without the judge, each scenario with the same weight; null: unknown */
    cost_usd: number | null;
    /** Tested runs whose cost is known */
    cost_runs: number;
    /** cost_usd / rate; null: unknown, or nothing passed */
    cost_per_pass_usd: number | null;
    /** Mean duration of a tested run, each scenario with the same weight */
    duration_secs: number | null;
    /** Whether no other ranked agent passes as often for less, or more often for as much per pass; null: not ranked, or unknown cost */
    pareto: boolean | null;
    /** Whether no other agent is shown to be better, whatever errors have hidden; null: not ranked */
    unbeaten: boolean | null;
    /** Whether it is shown to be not worse than any other ranked agent by the margin or more; null: no margin, or not ranked */
    within_margin: boolean | null;
  }>;
  /** All pairs of agents */
  pairs: Array<{
    /** The one listed first */
    first: {
      /** Name of the agent */
      agent: string;
      /** Name of the model */
      model: string;
    };
    /** The other one */
    second: {
      /** Name of the agent */
      agent: string;
      /** Name of the model */
      model: string;
    };
    /** Scenarios in which both were tested; only these are compared */
    scenarios: number;
    /** Pass rate of the first minus that of the second, mean over scenarios */
    difference: number | null;
    /** Of the difference; all intervals together hold with 95 % */
    interval: {
      /** Lower end */
      low: number;
      /** Upper end */
      high: number;
    } | null;
    /** Two-sided; null: nothing to test */
    p: number | null;
    /** p corrected for the number of pairs; decides the verdict */
    adjusted_p: number | null;
    /** The smallest p possible with this number of runs */
    smallest_p: number | null;
    /** Of the first */
    verdict: 'better' | 'worse' | 'no difference shown' | 'too few runs' | 'nothing to compare';
    /** Whether `better` or `worse` would remain whatever errors and untested cells have hidden; null: neither */
    robust: boolean | null;
    /** Whether each is not worse than the other by the margin or more; all bounds together hold with 95 %; null: no margin, or nothing to test */
    not_worse: {
      /** Of the first */
      first: {
        /** Lower bound of its pass rate minus that of the other */
        bound: number;
        /** Whether the bound is above the negative margin */
        holds: boolean;
      };
      /** Of the second */
      second: {
        /** Lower bound of its pass rate minus that of the other */
        bound: number;
        /** Whether the bound is above the negative margin */
        holds: boolean;
      };
    } | null;
  }>;
  /** The judges of the sweep compared with people; absent: none */
  calibration?: Array<Calibration>;
  /** Gates that a model decided, compared with people; absent: none */
  gate_calibration?: Array<{
    /** The scenario with the gate */
    scenario: string;
    /** Place of the gate in the scenario, from 1 */
    number: number;
    /** Type and name of the gate */
    gate: string;
    /** The model that decided it, as requested */
    judge: string;
    /** Runs of this sweep in which it decided the gate */
    judged: number;
    /** How many of these passed the gate */
    passed: number;
    /** Runs in which a person decided it too, also in earlier sweeps */
    reviewed: number;
    /** How many of these have the same verdict */
    agreed: number;
    /** 95 % interval of agreed / reviewed (Wilson); null: none reviewed */
    interval: {
      /** Lower end */
      low: number;
      /** Upper end */
      high: number;
    } | null;
    /** Cohen's kappa: 1 is perfect agreement, 0 is that of chance; null: fewer than 2 runs, or all verdicts alike */
    kappa: number | null;
    /** 95 % interval of kappa */
    kappa_interval: {
      /** Lower end */
      low: number;
      /** Upper end */
      high: number;
    } | null;
    /** Based on the interval of kappa */
    verdict: 'not calibrated' | 'unclear' | 'low agreement' | 'agrees';
    /** Reviewed runs that the model passed and the person failed */
    passed_alone: number;
    /** Reviewed runs that the model failed and the person passed */
    failed_alone: number;
    /** passed / judged corrected by people's verdicts; null: fewer than 2 runs of this sweep have one */
    corrected: {
      /** Share of all of them that people would pass */
      rate: number;
      /** 95 % interval */
      interval: {
        /** Lower end */
        low: number;
        /** Upper end */
        high: number;
      };
      /** Runs of this sweep that it is based on */
      reviewed: number;
    } | null;
  }>;
  /** Reasons to doubt these numbers */
  doubts: Array<string>;
}

/** How far the scores of a judge agree with those of people. */
export interface Calibration {
  /** Its model, as requested */
  judge: string;
  /** Scenarios of this sweep that it judged */
  scenarios: Array<string>;
  /** Runs of this sweep that it judged */
  judged: number;
  /** Of the weighted score or, if no person scored a run as a whole, of the criteria */
  verdict: 'not calibrated' | 'unclear' | 'low agreement' | 'agrees';
  /** Reviewed runs whose score reaches the threshold, and the person's does not */
  passed_alone: number;
  /** Reviewed runs whose score misses the threshold, and the person's does not */
  failed_alone: number;
  /** Of the weighted score */
  overall: {
    /** Runs that both a person and the judge scored, also in earlier sweeps */
    reviewed: number;
    /** Weighted kappa: 1 is perfect agreement, 0 is that of chance; null: fewer than 2 runs, or all scores alike */
    kappa: number | null;
    /** 95 % interval of kappa */
    interval: {
      /** Lower end */
      low: number;
      /** Upper end */
      high: number;
    } | null;
    /** Mean of the judge's score minus the person's */
    difference: number | null;
    /** 95 % interval of the difference */
    difference_interval: {
      /** Lower end */
      low: number;
      /** Upper end */
      high: number;
    } | null;
    /** Based on the interval of kappa */
    verdict: 'not calibrated' | 'unclear' | 'low agreement' | 'agrees';
    /** Mean score of the judge in this sweep's runs */
    judge_mean: number | null;
    /** judge_mean corrected by people's scores; null: fewer than 2 runs of this sweep have one */
    corrected: {
      /** Mean score that people would give to all of them */
      mean: number;
      /** 95 % interval */
      interval: {
        /** Lower end */
        low: number;
        /** Upper end */
        high: number;
      };
      /** Runs of this sweep that it is based on */
      reviewed: number;
    } | null;
  };
  /** The same for each criterion */
  criteria: Array<{
    /** Runs that both a person and the judge scored, also in earlier sweeps */
    reviewed: number;
    /** Weighted kappa: 1 is perfect agreement, 0 is that of chance; null: fewer than 2 runs, or all scores alike */
    kappa: number | null;
    /** 95 % interval of kappa */
    interval: {
      /** Lower end */
      low: number;
      /** Upper end */
      high: number;
    } | null;
    /** Mean of the judge's score minus the person's */
    difference: number | null;
    /** 95 % interval of the difference */
    difference_interval: {
      /** Lower end */
      low: number;
      /** Upper end */
      high: number;
    } | null;
    /** Based on the interval of kappa */
    verdict: 'not calibrated' | 'unclear' | 'low agreement' | 'agrees';
    /** Mean score of the judge in this sweep's runs */
    judge_mean: number | null;
    /** judge_mean corrected by people's scores; null: fewer than 2 runs of this sweep have one */
    corrected: {
      /** Mean score that people would give to all of them */
      mean: number;
      /** 95 % interval */
      interval: {
        /** Lower end */
        low: number;
        /** Upper end */
        high: number;
      };
      /** Runs of this sweep that it is based on */
      reviewed: number;
    } | null;
    /** Id of the criterion */
    criterion: string;
  }>;
}

/** A line that an agent with `output = "jsonl"` prints. */
export type AgentEvent =
  | {
      type: 'session';
      /** Id of the session; null: unknown, or there is none */
      session_id: string | null;
      /** The model that was asked for; null: unknown */
      model_requested: string | null;
      /** The model that answers; null: unknown */
      model_used: string | null;
    }
  | {
      type: 'message';
      /** Who says it */
      role: 'user' | 'assistant' | 'system';
      /** The last one of the assistant is the answer */
      text: string;
    }
  | {
      type: 'reasoning';
      /** The text */
      text: string;
    }
  | {
      type: 'tool_call';
      /** Unique in the session */
      id: string;
      /** Name of the tool */
      name: string;
      /** Arguments of the call; null: unknown */
      input: Json;
      /** The shell command, if the tool is a shell; null: it is none, or the input contains it */
      command: string | null;
      /** false: the agent named a tool that it does not have, so nothing was executed */
      executed?: false;
    }
  | {
      type: 'tool_result';
      /** The id of the call */
      id: string;
      /** Exit status of the command; null: unknown, or no command */
      exit_code: number | null;
      /** Whether the call failed */
      is_error: boolean;
      /** What the tool answered */
      output: string;
      /** Whether the agent has shortened the output */
      truncated: boolean;
      /** false: nothing was executed, because the agent has no such tool, or the arguments do not fit it */
      executed?: false;
    }
  | {
      type: 'usage';
      /** Input tokens, without those from a cache; null: unknown */
      input: number | null;
      /** Output tokens, without reasoning; null: unknown */
      output: number | null;
      /** Reasoning tokens; null: unknown */
      reasoning: number | null;
      /** Tokens read from a cache; null: unknown */
      cache_read: number | null;
      /** Tokens written to a cache; null: unknown */
      cache_write: number | null;
      /** US dollars; null: unknown, tokens times price count */
      cost_usd: number | null;
      /** cost_usd covers all usage since the last session event */
      cost_of_start?: true;
    }
  | {
      type: 'error';
      /** The message */
      message: string;
      /** Whether the same request may succeed later */
      retryable: boolean;
      /** The provider's HTTP status */
      status?: number;
    }
  | {
      type: 'unknown';
      /** What it is, in a few words */
      kind: string;
      /** What may be missing in its place: any event, or calls of tools; absent: nothing */
      lost?: 'event' | 'call';
    }
  | {
      type: 'result';
      /** done, or how else it ended */
      ending: string;
      /** Exit status; null: unknown */
      exit_code: number | null;
    };

/** What an agent did, in one of several types of events. */
export type EventBody =
  | {
      type: 'session';
      /** Id of the session; null: unknown, or there is none */
      session_id: string | null;
      /** The model that was asked for; null: unknown */
      model_requested: string | null;
      /** The model that answers; null: unknown */
      model_used: string | null;
    }
  | {
      type: 'message';
      /** Who says it */
      role: 'user' | 'assistant' | 'system';
      /** The last one of the assistant is the answer */
      text: string;
    }
  | {
      type: 'reasoning';
      /** The text */
      text: string;
    }
  | {
      type: 'tool_call';
      /** Unique in the session */
      id: string;
      /** Name of the tool */
      name: string;
      /** Arguments of the call; null: unknown */
      input: Json;
      /** The shell command, if the tool is a shell; null: it is none, or the input contains it */
      command: string | null;
      /** false: the agent named a tool that it does not have, so nothing was executed */
      executed?: false;
    }
  | {
      type: 'tool_result';
      /** The id of the call */
      id: string;
      /** Exit status of the command; null: unknown, or no command */
      exit_code: number | null;
      /** Whether the call failed */
      is_error: boolean;
      /** What the tool answered */
      output: string;
      /** Whether the agent has shortened the output */
      truncated: boolean;
      /** false: nothing was executed, because the agent has no such tool, or the arguments do not fit it */
      executed?: false;
    }
  | {
      type: 'usage';
      /** Input tokens, without those from a cache; null: unknown */
      input: number | null;
      /** Output tokens, without reasoning; null: unknown */
      output: number | null;
      /** Reasoning tokens; null: unknown */
      reasoning: number | null;
      /** Tokens read from a cache; null: unknown */
      cache_read: number | null;
      /** Tokens written to a cache; null: unknown */
      cache_write: number | null;
      /** US dollars; null: unknown, tokens times price count */
      cost_usd: number | null;
      /** cost_usd covers all usage since the last session event */
      cost_of_start?: true;
    }
  | {
      type: 'error';
      /** The message */
      message: string;
      /** Whether the same request may succeed later */
      retryable: boolean;
      /** The provider's HTTP status */
      status?: number;
    }
  | {
      type: 'unknown';
      /** What it is, in a few words */
      kind: string;
      /** What may be missing in its place: any event, or calls of tools; absent: nothing */
      lost?: 'event' | 'call';
    }
  | {
      type: 'result';
      /** done, or how else it ended */
      ending: string;
      /** Exit status; null: unknown */
      exit_code: number | null;
    }
  | {
      type: 'mcp_call';
      /** Name of the server in the scenario */
      server: string;
      /** Name of the tool, as the server calls it */
      tool: string;
      /** Arguments of the call */
      arguments: Json;
      /** What the server answered; null: nothing, or an error of the protocol */
      result: Json;
      /** The error of the protocol, what a client refuses in the answer, or that there was none when the agent ended; null: none */
      error: string | null;
      /** Whether the call failed, by its result or by the protocol */
      is_error: boolean;
      /** Milliseconds until the answer; null: there was none */
      duration_ms: number | null;
      /** Whether a mock answered */
      mocked: boolean;
    }
  | {
      type: 'mcp_tools';
      /** Name of the server in the scenario */
      server: string;
      /** The tools, as the agent was told */
      tools: Array<{
        /** Name of the tool */
        name: string;
        /** Bytes of its definition as JSON */
        bytes: number;
      }>;
    }
  | {
      type: 'mcp_problem';
      /** Name of the server in the scenario */
      server: string;
      /** What is wrong */
      message: string;
      /** Set if the server did nothing wrong: a limit of llm-tool-test was reached */
      limit?: true;
    }
  | {
      type: 'setup_command' | 'post_script';
      command: string;
      exit_code: number | null;
      timed_out: boolean;
      stdout: string;
      stderr: string;
    };
