// Runs tests on changed sources for `scripts/mutants/session.js`, which starts it and sends it requests. It keeps
// vitest warm, and gives it the changed sources from memory: the files stay as they are. With `reach` as its argument
// it also tells which probes each test file reaches; else it ends a run at the first failure.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVitest } from 'vitest/node';

/**
 * @typedef {{ sources: Record<string, string>, files: string[] }} Request
 * @typedef {{ file: string, hasFailed: boolean, ms: number, reached: number[], why: string }} FileResult
 */

const isReach = process.argv[2] === 'reach';
/** @type {Map<string, string>} */
let sources = new Map();
/** @type {FileResult[]} */
let results = [];

const vitest = await createVitest(
  'test',
  {
    config: 'scripts/mutants/vitest.config.ts',
    watch: false,
    bail: isReach ? 0 : 1,
    setupFiles: [
      fileURLToPath(new URL('../../test/property-seed.ts', import.meta.url)),
      ...(isReach ? [fileURLToPath(new URL('./record-reached.js', import.meta.url))] : []),
    ],
    reporters: [{ onTestModuleEnd: (module) => void results.push(resultOf(module)) }],
  },
  {
    plugins: [
      {
        name: 'mutants',
        enforce: 'pre',
        load: (id) => sources.get(id.split('?')[0] ?? ''),
      },
    ],
  },
);
const specifications = await vitest.globTestSpecifications();
process.send?.({ files: specifications.map(({ moduleId }) => moduleId) });

process.on('message', (/** @type {Request} */ request) => {
  void run(request).then((answer) => process.send?.(answer));
});

/** @param {Request} request */
async function run(request) {
  const before = [...sources.keys()];
  sources = new Map(Object.entries(request.sources).map(([path, text]) => [resolve(path), text]));
  for (const path of [...before, ...sources.keys()]) vitest.invalidateFile(path);
  results = [];
  const { unhandledErrors } = await vitest.runTestSpecifications(
    request.files.flatMap((file) => specifications.filter(({ moduleId }) => moduleId === file)),
  );
  // A worker that a mutant ends, for example because it fills the memory, tells no result.
  const [error] = unhandledErrors;
  if (error === undefined) return results;
  return [...results, { file: 'a worker', hasFailed: true, ms: 0, reached: [], why: String(error) }];
}

/** @param {import('vitest/node').TestModule} module @returns {FileResult} */
function resultOf(module) {
  const [test] = module.children.allTests('failed');
  return {
    file: module.moduleId,
    hasFailed: module.state() === 'failed',
    ms: module.diagnostic().duration + module.diagnostic().collectDuration,
    reached: /** @type {{ reached?: number[] }} */ (module.meta()).reached ?? [],
    why: test?.fullName ?? module.errors()[0]?.message.split('\n')[0] ?? '',
  };
}
