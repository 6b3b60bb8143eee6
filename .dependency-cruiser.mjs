// @ts-check
/**
 * Import directions (specs/explanation/architecture.md): each layer sees only what stands before it. Checked twice by
 * test/architecture.test.ts: these rules for all imports, types included, and workflow purity for what is bundled.
 */
/**
 * @param {string} name folder of src
 * @param {string[]} allowed what else it may import
 * @param {string} comment the reason
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
    layer('lib', [], 'lib holds pure helpers and knows nothing of ours'),
    layer('results', ['lib/'], 'what is written is defined by itself'),
    layer('agent-scripts', ['lib/', 'results/'], 'what READMEs and answers of agent scripts say'),
    layer(
      'gates',
      ['lib/', 'results/', 'agent-scripts/'],
      'a gate touches the world through its context only',
    ),
    layer('evaluators', ['lib/', 'results/', 'agent-scripts/'], 'an evaluator reads what a script said'),
    layer(
      'agents',
      ['lib/', 'results/', 'scenario/mock.ts'],
      'an adapter knows its agent, and the mock its script',
    ),
    layer('platform', ['lib/'], 'processes and files know nothing of scenarios'),
    layer(
      'environments',
      ['lib/', 'results/', 'platform/', 'gates/gate.ts'],
      'an environment is input and output by nature',
    ),
    layer(
      'judge',
      ['lib/', 'results/', 'scenario/rubric.ts'],
      'what the judge is asked, and reading what it said',
    ),
    layer(
      'scenario',
      ['lib/', 'results/', 'agent-scripts/', 'gates/', 'evaluators/', 'agents/', 'environments/'],
      'text to plan, pure',
    ),
    layer('reports', ['lib/', 'results/'], 'a report is a function of data'),
    layer('store', ['lib/', 'results/', 'platform/'], 'the results folder'),
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
        'reports/',
        'platform/',
        'store/',
        'workflows/protocol.ts',
      ],
      'steps use everything but the workflows, whose protocol they speak',
    ),
    layer('workflows', ['lib/', 'results/', 'activities/index.ts'], 'orchestration only'),
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
        'platform/',
        'store/',
      ],
      'files and options to a stored plan: no Temporal, and no terminal',
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
      'starts, steers and follows sweeps: knows workflows by name and type, and no terminal',
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
      'verbs know workflows by name and type, and try an agent as a step would start it',
    ),
    {
      name: 'shared-by-steps',
      comment: 'step/ and credentials/ are what all steps share, and know no step',
      severity: 'error',
      from: { path: '^src/activities/(step|credentials)/' },
      to: { path: '^src/activities/', pathNot: '^src/activities/(step|credentials)/' },
    },
    {
      name: 'scenario-knows-no-file-form',
      comment:
        'what a scenario means is apart from the form of its file; three files of scenario/ know the readers',
      severity: 'error',
      from: {
        path: '^src/scenario/[^/]+$',
        pathNot: '^src/scenario/(load-scenario|stored-scenario|json-schema)\\.ts$',
      },
      to: { path: '^src/scenario/[^/]+/' },
    },
    {
      name: 'file-forms-are-read-by-planning',
      comment: 'all but planning work with what a scenario means',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(scenario|planning|commands/plan)/' },
      to: { path: '^src/scenario/[^/]+/' },
    },
    {
      name: 'pure-layers-touch-no-machine',
      comment: 'pure code gets what it needs passed in',
      severity: 'error',
      from: { path: '^src/(results|agent-scripts|gates|evaluators|scenario|judge|reports)/' },
      to: { path: '^(node:)?(fs|child_process|net|http|https|os|worker_threads)', dependencyTypes: ['core'] },
    },
    {
      name: 'nothing-imports-the-roots',
      comment: 'cli.ts and worker.ts are where everything is put together',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli.ts$' },
      to: { path: '^src/(cli|worker)\\.ts$' },
    },
    {
      name: 'models-are-asked-in-platform',
      comment: 'one place knows the libraries of the providers',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/platform/' },
      to: { path: 'node_modules/(ai|@ai-sdk)/' },
    },
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
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
