// Measures the performance goals (specs/explanation/performance.md) with the real command line and a real server, in
// temporary projects: `npm run bench`, or a part of it: `npm run bench -- recovery runs`. BENCH_RUNS=10000 sets the
// largest number of runs that `runs` measures, and sets that of the other parts.
import { again } from './bench/again.js';
import { agentScripts } from './bench/agent-scripts.js';
import { cancel } from './bench/cancel.js';
import { concurrency } from './bench/concurrency.js';
import { floor } from './bench/floor.js';
import { databases, hosts } from './bench/hosts.js';
import { largeSweep } from './bench/large-sweep.js';
import { loop } from './bench/loop.js';
import { profile } from './bench/profile.js';
import { recovery } from './bench/recovery.js';
import { runs } from './bench/runs.js';
import { startUp } from './bench/start-up.js';
import { views } from './bench/views.js';
import { waiting } from './bench/waiting.js';

const measures = {
  profile,
  'start-up': startUp,
  runs,
  again,
  floor,
  concurrency,
  waiting,
  hosts,
  databases,
  views,
  'large-sweep': largeSweep,
  recovery,
  loop,
  cancel,
  'agent-scripts': agentScripts,
};
/** Measured only if named: one takes more than ten minutes, the other writes files. */
const ONLY_BY_NAME = new Set(['large-sweep', 'profile']);
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(measures, name));
if (unknown.length > 0) {
  console.error(`no measure ${unknown.join(', ')}; there are ${Object.keys(measures).join(', ')}`);
  process.exit(2);
}
for (const [name, measure] of Object.entries(measures)) {
  if (wanted.length > 0 ? !wanted.includes(name) : ONLY_BY_NAME.has(name)) continue;
  console.log(`\n${name}`);
  for (const row of await measure()) {
    const goal = row.goal === undefined ? '' : `goal ${row.goal}`;
    console.log(`  ${row.what.padEnd(52)} ${row.value.padStart(24)}  ${goal}`.trimEnd());
  }
}
