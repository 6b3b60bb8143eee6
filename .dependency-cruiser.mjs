// @ts-check
/**
 * Which layer of src/ may import which (specs/explanation/architecture.md). test/architecture.test.ts checks these rules for
 * all imports, including types, and also that bundled workflow code does not touch the machine.
 */
/**
 * A rule for one layer: it may import itself and the allowed parts of src/, nothing else.
 * @param {string} name the layer's folder in src
 * @param {string[]} allowed the other parts of src that it may import
 * @param {string} comment the reason for the rule
 */
const layer = (name, allowed, comment) => ({
  name: `${name}-imports`,
  comment,
  severity: 'error',
  from: { path: `^src/${name}/` },
  to: { path: '^src/', pathNot: [`^src/${name}/`, ...allowed.map((part) => `^src/${part}`)] },
});

export default {
  forbidden: [
    layer('lib', [], 'pure helpers: lib must not depend on anything specific to this program'),
    layer(
      'statistics',
      ['lib/'],
      'methods of statistics are functions of counts and numbers; they know nothing of sweeps',
    ),
    layer(
      'results',
      ['lib/', 'statistics/'],
      'the format of results must not depend on the code that produces them',
    ),
    layer(
      'agent-scripts',
      ['lib/', 'results/'],
      'parses the READMEs and answers of agent scripts, which gates, evaluators and scenarios use',
    ),
    layer(
      'gates',
      ['lib/', 'results/', 'agent-scripts/'],
      'a gate reaches the workspace only through its context, so any environment can run it',
    ),
    layer(
      'evaluators',
      ['lib/', 'results/', 'agent-scripts/'],
      'an evaluator only interprets the output of a script',
    ),
    layer(
      'agents',
      ['lib/', 'results/', 'mocks/', 'scenario/(mock|runtime).ts'],
      'an adapter knows only its agent; some also know the parts of a scenario that are for them',
    ),
    layer(
      'agent-host',
      [
        'lib/',
        'results/',
        'agents/hosted.ts',
        'scenario/runtime.ts',
        'mocks/',
        'platform/',
        'activities/(mocks/record-call|step/mocks-file).ts',
      ],
      'a program of its own, which knows nothing of a run but what its request says',
    ),
    layer(
      'conversation',
      ['lib/', 'results/', 'judge/(find-object|marked-data).ts'],
      'decides how a conversation with an agent goes on',
    ),
    layer('mocks', ['lib/'], 'decides what a mocked command answers; it knows neither files nor processes'),
    layer('platform', ['lib/'], 'code for processes, files and servers must not know about scenarios'),
    layer(
      'environments',
      ['lib/', 'results/', 'platform/', 'gates/gate.ts'],
      'an environment does input and output only; it knows the gate contract, but no gate',
    ),
    layer(
      'judge',
      ['lib/', 'results/', 'scenario/rubric.ts'],
      'builds the prompt of the judge and reads its answer; sending it is up to activities',
    ),
    layer(
      'scenario',
      [
        'lib/',
        'results/',
        'agent-scripts/',
        'gates/',
        'evaluators/',
        'agents/',
        'environments/',
        'mocks/',
        'conversation/',
      ],
      'turns the text of files into a plan, without touching the machine',
    ),
    layer(
      'reports',
      ['lib/', 'results/', 'statistics/'],
      'a report is computed from results alone, so it can be written again later',
    ),
    layer(
      'store',
      ['lib/', 'results/', 'platform/'],
      'reads and writes the results folder, and need not know how results come about',
    ),
    layer(
      'activities',
      [
        'lib/',
        'results/',
        'agent-scripts/',
        'gates/',
        'evaluators/',
        'agents/',
        'environments/',
        'scenario/',
        'judge/',
        'mocks/',
        'conversation/',
        'reports/',
        'platform/',
        'store/',
        'client/sweeps/',
        'workflows/(protocol|visible-failures).ts',
      ],
      'steps may use every layer but workflows, of which they only know the protocol and the failures that are results; reports of schedules read and compare sweeps as the commands do',
    ),
    layer(
      'workflows',
      ['lib/', 'results/', 'statistics/', 'activities/index.ts'],
      'workflows only orchestrate: they run in a sandbox and must be deterministic',
    ),
    layer(
      'planning',
      [
        'lib/',
        'results/',
        'agent-scripts/',
        'gates/',
        'evaluators/',
        'agents/',
        'environments/',
        'scenario/',
        'mocks/',
        'platform/',
        'store/',
      ],
      'turns files and options into a stored plan, without Temporal and without a terminal',
    ),
    layer(
      'client',
      [
        'lib/',
        'results/',
        'agents/',
        'scenario/',
        'reports/',
        'platform/',
        'store/',
        'planning/',
        'workflows/(protocol|ui).ts',
      ],
      'starts, steers and follows sweeps, without a terminal; it knows workflows only by name and type',
    ),
    layer(
      'commands',
      [
        'lib/',
        'results/',
        'agent-scripts/',
        'gates/',
        'evaluators/',
        'agents/',
        'environments/',
        'scenario/',
        'reports/',
        'platform/',
        'store/',
        'planning/',
        'client/',
        'activities/try-agent.ts',
        'workflows/(protocol|ui).ts',
      ],
      'verbs know workflows only by name and type; doctor --try starts an agent like a step does',
    ),
    layer(
      'library',
      ['lib/', 'results/', 'platform/', 'store/', 'client/sweeps/'],
      'reads results for other programs: it starts nothing, prints nothing and loads nothing of Temporal',
    ),
    {
      name: 'shared-by-steps',
      comment: 'all steps share step/ and credentials/, so these must not depend on a step',
      severity: 'error',
      from: { path: '^src/activities/(step|credentials)/' },
      to: { path: '^src/activities/', pathNot: '^src/activities/(step|credentials)/' },
    },
    {
      name: 'scenario-knows-no-file-form',
      comment:
        'the meaning of a scenario must not depend on its file format; only three files of scenario/ know the readers',
      severity: 'error',
      from: {
        path: '^src/scenario/[^/]+$',
        pathNot: '^src/scenario/(load-scenario|stored-scenario|json-schema)\\.ts$',
      },
      to: { path: '^src/scenario/(eliza|yaml)/' },
    },
    {
      name: 'file-forms-are-read-by-planning',
      comment: 'only planning reads scenario files; other layers use the Scenario that a reader returns',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(scenario|planning|commands/plan)/' },
      to: { path: '^src/scenario/(eliza|yaml)/' },
    },
    {
      name: 'pure-layers-touch-no-machine',
      comment: 'pure code gets its input as arguments, so it can be tested without files or processes',
      severity: 'error',
      from: {
        path: '^src/(statistics|results|agent-scripts|gates|evaluators|scenario|judge|mocks|reports)/',
      },
      to: { path: '^(node:)?(fs|child_process|net|http|https|os|worker_threads)', dependencyTypes: ['core'] },
    },
    {
      name: 'nothing-imports-the-library',
      comment: 'the library is for other programs; what commands share with it is in client/sweeps',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/library/' },
      to: { path: '^src/library/' },
    },
    {
      name: 'nothing-imports-the-roots',
      comment: 'cli.ts and worker.ts assemble the programs, so nothing may depend on them',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli.ts$' },
      to: { path: '^src/(cli|worker)\\.ts$' },
    },
    {
      name: 'models-are-asked-in-platform',
      comment: 'the provider libraries can be replaced in one place',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/platform/' },
      to: { path: 'node_modules/(ai|@ai-sdk)/' },
    },
    {
      name: 'environments-know-no-temporal',
      comment: 'doctor and planning use environments too; steps decide which of their errors are final',
      severity: 'error',
      from: { path: '^src/environments/' },
      to: { path: 'node_modules/@temporalio/' },
    },
    {
      name: 'no-circular',
      comment: 'modules that import each other cannot be understood or loaded separately',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'a module that nothing imports is unused, except these, which are run or bundled by path',
      severity: 'error',
      from: { orphan: true, pathNot: ['download-temporal', 'mock-program', 'disable-stack-traces'] },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
