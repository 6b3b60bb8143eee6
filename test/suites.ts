/*
 * The suites, which files belong to each, and which parts of the repository the tests that are not fast depend on.
 * `.ci/run` runs all fast tests, and of the others those that a change can affect (scripts/select-tests.js).
 */

/**
 * - plain: fast tests without a Temporal server
 * - temporal: fast tests with one
 * - slow: tests of commands and workflows that need 15 seconds or more
 * - long: separate servers, kills and waits, sandboxes, containers, gigabytes, full disks, every error code
 * - production: the settings of docker-compose.yml
 * - agents: the real agents, which npm installs, with a scripted model
 */
export type Suite = 'plain' | 'temporal' | 'slow' | 'long' | 'production' | 'agents';

const PATTERNS: Record<Exclude<Suite, 'plain'>, readonly string[]> = {
  production: ['test/production/**/*.test.ts'],
  agents: ['test/agents/real/**/*.test.ts'],
  slow: ['test/**/*.slow.test.ts'],
  long: [
    'test/long/**/*.test.ts',
    'test/@(action/steps|walks/walks).test.ts',
    'test/chaos/**/*.test.ts',
    'test/agent-scripts/@(contract|error-codes).test.ts',
    'test/host/process/supervise-@(end|full-disk).test.ts',
    'test/workflows/sweep-@(histories|placed).test.ts',
    'test/commands/@(asking-gates|broken-places|compare-bias|e2b|eliza-matrix|engine|engine-stop|hostile|injection|large-file|mocked-endpoints|privacy|sandbox|scripts-check|shared-sweep|shut-workspace).test.ts',
    'test/documents/runnable.test.ts',
    'test/store/shared/s3-store.test.ts',
    'test/environments/@(container-contract|e2b|e2b-contract|kubernetes|kubernetes-contract).test.ts',
  ],
  temporal: ['workflows', 'commands', 'viewer', 'planning', 'client', 'chaos', 'package', 'documents'].map(
    (folder) => `test/${folder}/**/*.test.ts`,
  ),
};

/** The number of files of a suite that run at the same time, on two cores. */
export const WORKERS: Record<Suite, number> = {
  plain: 5, // many tests only wait for processes and timers: on two cores, four workers take 10 % longer
  temporal: 5,
  slow: 5,
  long: 3, // they mostly wait for kills, restarts and time limits
  production: 2,
  agents: 2,
};

/**
 * From the narrowest to the widest: a file belongs to the first suite that has a pattern for it, or else to `plain`.
 */
const ORDER = ['production', 'agents', 'slow', 'long', 'temporal'] as const;

/** Returns Vitest's patterns for the files of a suite. */
export function filesOf(suite: Suite): { include: string[]; exclude: string[] } {
  const narrower = suite === 'plain' ? ORDER : ORDER.slice(0, ORDER.indexOf(suite));
  return {
    include: suite === 'plain' ? ['test/**/*.test.ts'] : [...PATTERNS[suite]],
    exclude: narrower.flatMap((name) => PATTERNS[name]),
  };
}

/** Some tests that are not fast, and what they depend on besides the modules that they import. */
interface Area {
  /** Paths of test files, or the beginnings of such paths. */
  tests: readonly string[];
  /** Files and folders (with a slash at the end). What their modules import counts, too, but less. */
  covers: readonly string[];
}

/** A change of these can affect every test. */
export const COVERED_BY_ALL = ['package-lock.json', 'vitest.config.ts', 'scripts/build.js', 'test/global-setup.ts'];

/** A test belongs to every area that names it. */
export const AREAS: readonly Area[] = [
  {
    tests: ['test/library/run-scenarios'],
    covers: ['src/library/', 'src/client/', 'src/planning/', 'fixtures/vitest/', 'scripts/build.js'],
  },
  {
    tests: [
      'test/chaos/infrastructure',
      'test/chaos/kill',
      'test/chaos/lost-',
      'test/chaos/random',
      'test/chaos/settled-cells',
      'test/chaos/ended-runs',
      'test/chaos/stop-run',
      'test/chaos/show-follow',
      'test/chaos/until-clear',
      'test/long/random-faults',
      'test/long/regrade',
    ],
    covers: [
      'src/workflows/',
      'src/activities/agent/',
      'src/activities/run/',
      'src/activities/step/',
      'src/activities/watch/',
      'src/activities/report/',
      'src/activities/settle-cells.ts',
      'src/activities/run-agent.ts',
      'src/host/process/',
    ],
  },
  {
    tests: [
      'test/chaos/starting-engine',
      'test/chaos/lasting-engine',
      'test/chaos/frozen-server',
      'test/commands/engine',
      'test/commands/ui.',
      'test/commands/interrupted-start',
      'test/commands/signals',
      'test/long/away-server',
    ],
    covers: [
      'src/engine/',
      'src/commands/engine.ts',
      'src/commands/engine-keep.ts',
      'src/client/',
      'src/engine/temporal/',
    ],
  },
  {
    tests: ['test/chaos/attacks-', 'test/workflows/proofs', 'test/workflows/malformed-arguments'],
    covers: [
      'src/activities/origin/',
      'src/activities/step/run-step-once.ts',
      'src/host/security/origin.ts',
      'src/host/security/ledger.ts',
      'src/store/origin.ts',
      'src/workflows/',
    ],
  },
  {
    tests: ['test/chaos/continue-as-new', 'test/workflows/', 'test/long/large-sweep'],
    covers: ['src/workflows/', 'src/activities/load-cells.ts', 'src/activities/finish-sweep.ts', 'src/client/'],
  },
  {
    tests: ['test/chaos/mock-server', 'test/commands/mocks', 'test/commands/mocked-endpoints'],
    covers: ['src/mocks/', 'src/activities/mocks/'],
  },
  {
    tests: [
      'test/agents/real/mcp',
      'test/agents/real/acp-mcp',
      'test/chaos/mcp',
      'test/commands/mcp',
      'test/commands/subject',
      'test/long/mcp-sandbox',
      'test/long/mcp-forging',
      'test/long/subject-in-container',
    ],
    covers: [
      'src/subjects/mcp/',
      'src/subjects/subject.ts',
      'src/agents/subject-files.ts',
      'src/model/subject-parts.ts',
      'src/model/subject-tokens.ts',
      'src/planning/find-subject.ts',
    ],
  },
  {
    tests: [
      'test/chaos/container',
      'test/chaos/sandbox-attacks',
      'test/chaos/tasks-under-kills',
      'test/environments/',
      'test/commands/sandbox',
      'test/commands/shut-workspace',
      'test/commands/run-workspace',
      'test/commands/doctor-machine',
      'test/long/hidden-checks',
      'test/long/mcp-sandbox',
      'test/long/mcp-forging',
      'test/long/subject-in-container',
      'test/long/tasks',
      'test/agents/real/mounted',
    ],
    covers: [
      'src/scenario/task/',
      'src/environments/',
      'src/activities/build-image.ts',
      'src/activities/run/images.ts',
      'src/commands/export.ts',
      'src/commands/validate-tasks.ts',
      'src/activities/prepare/',
      'src/activities/teardown/',
      'src/commands/doctor/',
    ],
  },
  {
    tests: ['test/chaos/loop'],
    covers: ['src/activities/loop/', 'src/agents/loop/', 'src/workflows/run/agent-loop.ts', 'src/host/models/'],
  },
  {
    tests: ['test/chaos/e2b', 'test/commands/e2b', 'test/environments/e2b'],
    covers: ['src/environments/e2b/'],
  },
  {
    tests: ['test/chaos/kubernetes', 'test/chaos/pods-under-kills', 'test/environments/kubernetes'],
    covers: ['src/environments/kubernetes/'],
  },
  {
    tests: ['test/chaos/stop-on-full-disk', 'test/long/full-disk', 'test/long/keeper-full-disk'],
    covers: [
      'src/host/fs/disk-space.ts',
      'src/activities/step/disk-space.ts',
      'src/activities/write-report.ts',
      'src/activities/report/',
      'src/lib/errors/',
      'src/engine/keeper.ts',
      'src/store/',
    ],
  },
  {
    tests: ['test/host/process/supervise-', 'test/chaos/lost-agent', 'test/long/try-endless'],
    covers: ['src/host/process/', 'src/commands/try/'],
  },
  {
    tests: ['test/long/host', 'test/long/many-hosts', 'test/commands/shared-sweep', 'test/workflows/sweep-placed'],
    covers: [
      'src/activities/hosts/',
      'src/workflows/scheduler/',
      'src/store/shared/',
      'src/client/end-open-runs.ts',
      'src/protocol/signs-of-life.ts',
      'src/commands/worker.ts',
    ],
  },
  { tests: ['test/store/shared/', 'test/long/hosts-on-s3'], covers: ['src/store/'] },
  {
    tests: ['test/long/schedules', 'test/commands/schedule-nights'],
    covers: [
      'src/client/schedules/',
      'src/commands/schedule/',
      'src/commands/options/schedule.ts',
      'src/activities/schedules/',
      'src/sweeps/judge-night.ts',
      'src/sweeps/report-night.ts',
      'src/decide/schedules/',
    ],
  },
  {
    tests: ['test/long/temporal-cloud', 'test/long/encrypted-payloads', 'test/commands/login', 'test/commands/traces'],
    covers: ['src/engine/temporal/', 'src/engine/codec/', 'src/engine/traces/', 'src/commands/codec-server.ts'],
  },
  {
    tests: ['test/long/databases', 'test/commands/databases'],
    covers: [
      'src/activities/databases/',
      'src/lib/sql.ts',
      'src/host/adapters/postgres.ts',
      'src/scenario/database.ts',
    ],
  },
  {
    tests: [
      'test/long/until-clear',
      'test/chaos/until-clear',
      'test/commands/until-clear',
      'test/commands/compare',
      'test/commands/next-round',
      'test/commands/cost',
      'test/workflows/sweep-until-clear',
    ],
    covers: [
      'src/statistics/',
      'src/decide/comparison/',
      'src/decide/decision/',
      'src/commands/compare.ts',
      'src/client/next-round.ts',
    ],
  },
  {
    tests: ['test/statistics/simulate'],
    covers: ['src/statistics/', 'src/decide/', 'src/sweeps/', 'scripts/simulate/'],
  },
  {
    tests: ['test/long/production', 'test/long/monitoring/', 'test/production/'],
    covers: [
      'src/engine/metrics/',
      'docker-compose.yml',
      'image/',
      '.dockerignore',
      'specs/how-to/grafana-dashboard.json',
      'specs/how-to/production.md',
    ],
  },
  {
    tests: ['test/agents/real/', 'test/commands/profiles'],
    covers: ['src/agents/', 'src/activities/agent/', 'src/agent-host/', 'test/agents/clis.ts'],
  },
  {
    tests: ['test/commands/eliza', 'test/agents/real/eliza'],
    covers: ['src/scenario/eliza/', 'src/agent-host/', 'src/gates/types/', 'src/commands/scenario.ts'],
  },
  {
    tests: [
      'test/commands/judge',
      'test/commands/asking-gates',
      'test/commands/calibration',
      'test/commands/gate-calibration',
      'test/commands/compare-bias',
      'test/chaos/kill-asking-gate',
      'test/long/full-disk-judge',
      'test/workflows/run-judged',
      'test/viewer/review',
    ],
    covers: [
      'src/gates/judge/',
      'src/activities/ask/',
      'src/activities/judge-run.ts',
      'src/decide/calibration/',
      'src/model/review/',
    ],
  },
  {
    tests: ['test/commands/conversation', 'test/chaos/kill-conversation', 'test/commands/context'],
    covers: ['src/scenario/conversation.ts', 'src/scenario/conversation-prompts.ts', 'src/activities/converse.ts'],
  },
  {
    tests: [
      'test/commands/cache',
      'test/commands/cells',
      'test/commands/checks',
      'test/commands/regrade',
      'test/commands/retry-failed',
      'test/commands/limits',
      'test/commands/owner-budget',
      'test/commands/steer',
      'test/commands/clean',
      'test/commands/processes',
      'test/planning/',
      'test/long/regrade',
      'test/workflows/',
    ],
    covers: ['src/planning/', 'src/client/', 'src/store/', 'src/activities/', 'src/gates/', 'src/commands/'],
  },
  {
    tests: [
      'test/commands/live',
      'test/commands/show-follow',
      'test/commands/report',
      'test/commands/completion',
      'test/chaos/show-follow',
    ],
    covers: ['src/reports/', 'src/client/follow/', 'src/commands/show/', 'src/commands/completion/'],
  },
  { tests: ['test/viewer/'], covers: ['src/viewer/', 'src/reports/', 'src/sweeps/'] },
  {
    tests: [
      'test/commands/secrets',
      'test/viewer/secrets',
      'test/commands/injection',
      'test/commands/hostile',
      'test/viewer/hostile',
      'test/commands/privacy',
      'test/commands/large-file',
      'test/commands/broken-places',
      'test/fuzz',
    ],
    covers: ['src/lib/redaction/', 'src/lib/format/', 'src/reports/', 'src/scenario/', 'src/store/', 'scripts/fuzz/'],
  },
  {
    tests: ['test/agent-scripts/', 'test/commands/scripts'],
    covers: ['.agents/', 'src/agent-scripts/', 'src/commands/scripts/', 'src/commands/templates/agent-scripts/'],
  },
  {
    tests: ['test/package/', 'test/walks/', 'test/documents/', 'test/commands/init'],
    covers: [
      'README.md',
      'specs/',
      'fixtures/',
      'src/commands/templates/',
      'package.json',
      'src/library/',
      'src/commands/init.ts',
    ],
  },
  { tests: ['test/action/'], covers: ['scripts/action/', 'action.yml'] },
];
