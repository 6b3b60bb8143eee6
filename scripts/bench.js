// Measures what specs/durability.md promises: how long after SIGKILL of the worker an agent is followed again.
// Real command line, real server, in a temporary project. `npm run bench -- 5` for five repetitions.
import { execFile, spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';

const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const repetitions = Number(process.argv[2] ?? 3);
const folder = mkdtempSync(join(tmpdir(), 'llm-tool-test-bench-'));
const env = { ...process.env, LLM_TOOL_TEST_HOME: join(folder, 'state'), TEMPORAL_ADDRESS: '' };
/** @param {string[]} args */
const run = async (...args) => (await promisify(execFile)(cli, args, { cwd: folder, env })).stdout;
const status = async () => JSON.parse(await run('engine', 'status', '--json'));

mkdirSync(join(folder, 'fixtures/empty'), { recursive: true });
writeFileSync(
  join(folder, 'fixtures/waits.yaml'),
  `name: waits
description: waits to be let go
template_folder: empty
target: { binary: cat }
task: { prompt: wait }
evaluation: { gates: [] }
mock:
  steps: [{ run: 'echo start >> ${folder}/starts; until [ -e ${folder}/go ]; do sleep 0.05; done' }]
`,
);

const times = [];
try {
  await run('engine', 'start');
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    for (const file of ['starts', 'go']) rmSync(join(folder, file), { force: true });
    const command = spawn(cli, ['run', 'waits', '--json'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let output = '';
    command.stdout.on('data', (chunk) => (output += chunk));
    const ended = new Promise((resolve) => command.once('close', resolve));
    while (!existsSync(join(folder, 'starts'))) await sleep(20);

    const { address, worker } = await status();
    const client = new Client({ connection: await Connection.connect({ address }) });
    const open = client.workflow.list({
      query: 'WorkflowType = "runScenario" AND ExecutionStatus = "Running"',
    });
    const { value } = await open[Symbol.asyncIterator]().next();
    const handle = client.workflow.getHandle(value.workflowId);
    process.kill(worker.pid, 'SIGKILL');
    const killedAt = performance.now();
    for (;;) {
      const [pending] = (await handle.describe()).raw.pendingActivities ?? [];
      if (Number(pending?.attempt ?? 1) > 1 && pending?.lastStartedTime && pending.state === 2) break;
      await sleep(10);
    }
    const time = (performance.now() - killedAt) / 1000;
    times.push(time);
    appendFileSync(join(folder, 'go'), '');
    await ended;
    await client.connection.close();
    const starts = readFileSync(join(folder, 'starts'), 'utf8').trim().split('\n').length;
    const { outcome } = JSON.parse(output).cells[0];
    console.log(
      `run ${repetition + 1}: adopted ${time.toFixed(2)} s after SIGKILL, ${outcome}, agent starts: ${starts}`,
    );
  }
} finally {
  await run('engine', 'stop');
  rmSync(folder, { recursive: true, force: true });
}
const sorted = times.toSorted((a, b) => a - b);
const [least, median, most] = [0, Math.floor(sorted.length / 2), sorted.length - 1].map((at) =>
  sorted[at]?.toFixed(2),
);
console.log(
  `recovery after SIGKILL of the worker: min ${least} s, median ${median} s, max ${most} s (goal: under 3 s)`,
);
