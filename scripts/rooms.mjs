// @ts-check
/**
 * The imports that each part of src/ may have (specs/explanation/architecture.md). test/architecture.test.ts also
 * checks that what workflows import, not counting types, does not touch the machine.
 */

/**
 * The folders of src/, called rooms, from the lowest to the highest: which other rooms each may import, and what it is
 * for.
 * @type {Record<string, { imports: string[], purpose: string }>}
 */
const ROOMS = {
  lib: { imports: [], purpose: 'helpers that know nothing of this program' },
  statistics: { imports: ['lib'], purpose: 'methods of statistics, as functions of numbers' },
  model: { imports: ['lib', 'statistics'], purpose: 'the formats of results' },
  decide: {
    imports: ['lib', 'statistics', 'model'],
    purpose: 'what follows from results: comparisons, decisions, rankings, totals',
  },
  input: {
    imports: ['lib', 'model'],
    purpose: 'positions and problems of values that people write, and schemas that several kinds of them share',
  },
  host: { imports: ['lib'], purpose: 'files, processes and models, as this machine has them' },
  engine: { imports: ['lib', 'host'], purpose: 'the Temporal server, and what is sent through it' },
  protocol: {
    imports: ['lib', 'model', 'decide'],
    purpose: 'names and messages that workflows share with steps and clients',
  },
  'agent-scripts': { imports: ['lib', 'model'], purpose: 'READMEs and answers of agent scripts' },
  gates: {
    imports: ['lib', 'model', 'input', 'agent-scripts'],
    purpose: 'checks of a run; a gate reaches the workspace only through its context, so that it works anywhere',
  },
  mocks: {
    imports: ['lib', 'model', 'host'],
    purpose: 'answers of commands, services and tools that are mocked',
  },
  subjects: {
    imports: ['lib', 'model', 'input', 'mocks'],
    purpose: 'what an agent is given to use: skills, instructions, MCP servers and their proxy',
  },
  'agent-host': {
    imports: ['lib', 'model', 'host', 'mocks'],
    purpose: 'a program that runs agents which are modules; it knows only what its request contains',
  },
  agents: {
    imports: ['lib', 'model', 'input', 'subjects', 'agent-host'],
    purpose: 'how each agent is started, and what it prints',
  },
  environments: {
    imports: ['lib', 'model', 'host', 'gates'],
    purpose: 'where commands run; an environment knows what a gate is, but no gate',
  },
  store: { imports: ['lib', 'model', 'decide', 'host'], purpose: 'the results folder' },
  scenario: {
    imports: [
      ...['lib', 'model', 'decide', 'input', 'agent-scripts', 'gates', 'mocks', 'subjects'],
      ...['agent-host', 'agents'],
    ],
    purpose: 'from the text of files to a scenario, and how its conversations go on, without touching the machine',
  },
  reports: { imports: ['lib', 'statistics', 'model', 'decide'], purpose: 'texts and pages about results' },
  planning: {
    imports: [
      ...['lib', 'model', 'decide', 'input', 'host', 'agent-scripts', 'gates', 'mocks', 'subjects', 'agent-host'],
      ...['agents', 'environments', 'store', 'scenario'],
    ],
    purpose: 'from files and options to a stored plan, without Temporal and without a terminal',
  },
  sweeps: {
    imports: [...['lib', 'model', 'decide', 'host', 'engine', 'protocol', 'store', 'scenario', 'reports', 'planning']],
    purpose: 'reads sweeps and compares them, for commands, steps and the library',
  },
  activities: {
    imports: [
      ...['lib', 'model', 'decide', 'host', 'engine', 'protocol', 'agent-scripts', 'gates'],
      ...['mocks', 'subjects', 'agent-host', 'agents', 'environments', 'store', 'scenario', 'reports', 'sweeps'],
    ],
    purpose: 'the steps of runs and sweeps',
  },
  workflows: {
    imports: ['lib', 'model', 'decide', 'protocol', 'activities'],
    purpose: 'the order of steps: deterministic, because workflows run in a sandbox',
  },
  client: {
    imports: [
      ...['lib', 'model', 'decide', 'host', 'engine', 'protocol', 'agents', 'store', 'scenario', 'reports'],
      ...['planning', 'sweeps', 'activities'],
    ],
    purpose: 'starts, steers and follows sweeps, without a terminal; it knows workflows and steps only by name',
  },
  viewer: {
    imports: [
      ...['lib', 'model', 'decide', 'host', 'engine', 'protocol', 'environments', 'store', 'scenario'],
      ...['reports', 'planning', 'sweeps', 'client'],
    ],
    purpose: 'the page of `view`, and the server that answers it with what the commands read and do',
  },
  commands: {
    imports: [
      ...['lib', 'model', 'decide', 'input', 'host', 'engine', 'protocol', 'agent-scripts', 'agents'],
      ...['environments', 'store', 'scenario', 'reports', 'planning', 'sweeps', 'activities', 'client', 'viewer'],
    ],
    purpose: 'the verbs; `doctor --try` starts an agent as a step does',
  },
  library: {
    imports: [
      ...['lib', 'model', 'decide', 'host', 'protocol', 'store', 'scenario', 'reports', 'planning', 'sweeps', 'client'],
    ],
    purpose: 'reads results and runs scenarios for other programs: importing it starts nothing, and loads no Temporal',
  },
};

const FACE = '^src/[^/]+/(index|pure)\\.ts$';

export default {
  forbidden: [
    {
      name: 'only-through-a-face',
      comment: 'others import a room by its face, index.ts or pure.ts, so that the rest can change',
      severity: 'error',
      from: { path: '^src/([^/]+)/' },
      to: { path: '^src/', pathNot: ['^src/$1/', FACE] },
    },
    {
      name: 'the-roots-use-faces',
      comment: 'cli.ts and worker.ts only assemble rooms',
      severity: 'error',
      from: { path: '^src/[^/]+$' },
      to: { path: '^src/[^/]+/', pathNot: FACE },
    },
    ...Object.entries(ROOMS).map(([name, { imports, purpose }]) => ({
      name: `${name}-imports`,
      comment: purpose,
      severity: 'error',
      from: { path: `^src/${name}/` },
      to: { path: '^src/', pathNot: `^src/(${[name, ...imports].join('|')})/` },
    })),
    {
      name: 'nothing-imports-its-own-face',
      comment: 'the files of a room import each other',
      severity: 'error',
      from: { path: '^src/([^/]+)/', pathNot: FACE },
      to: { path: '^src/$1/(index|pure)\\.ts$' },
    },
    {
      name: 'shared-by-steps',
      comment: 'all steps share these folders, so they must not depend on a step',
      severity: 'error',
      from: { path: '^src/activities/(step|run|commands|origin|credentials)/' },
      to: {
        path: '^src/activities/',
        pathNot: '^src/activities/(step|run|commands|origin|credentials|hosts/(host|slots)\\.ts$)',
      },
    },
    {
      name: 'scenario-knows-no-file-form',
      comment:
        'the meaning of a scenario must not depend on its file format; only a few files of scenario/ know the readers',
      severity: 'error',
      from: {
        path: '^src/scenario/[^/]+$',
        pathNot: '^src/scenario/(index|load-scenario|recognize|stored-scenario|json-schema)\\.ts$',
      },
      to: { path: '^src/scenario/(eliza|task|yaml)/' },
    },
    {
      name: 'pure-rooms-touch-no-machine',
      comment: 'pure code gets its input as arguments, so it can be tested without files or processes',
      severity: 'error',
      from: {
        path: '^src/(lib|statistics|model|decide|input|protocol|agent-scripts|gates|scenario|reports)/',
      },
      to: { path: '^(node:)?(fs|child_process|net|http|https|os|worker_threads)', dependencyTypes: ['core'] },
    },
    {
      name: 'nothing-imports-the-roots',
      comment: 'cli.ts and worker.ts assemble the programs, so nothing may depend on them',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli.ts$' },
      to: { path: '^src/(cli|worker)\\.ts$' },
    },
    {
      name: 'models-are-asked-by-host',
      comment: 'the provider libraries can be replaced in one place',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/host/' },
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
      from: { orphan: true, pathNot: ['download-temporal', 'mock-program'] },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^src/commands/templates/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
