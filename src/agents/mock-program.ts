import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { EventBody } from '../results/events.js';
import type { MockStep } from '../scenario/mock.js';

/** The mock agent, run by itself: `node mock-program.js STEPS.json` in the workspace. Its output is our event stream. */
const OUTPUT_LIMIT = 64 * 1024;

const emit = (event: EventBody): void => {
  writeFileSync(1, `${JSON.stringify(event)}\n`);
};

let calls = 0;
const call = (name: string, input: Record<string, string>, command: string | null): string => {
  const id = `mock-${++calls}`;
  emit({ type: 'tool_call', id, name, input, command });
  return id;
};
const result = (id: string, exitCode: number | null, output: string, isError = exitCode !== 0): void => {
  emit({
    type: 'tool_result',
    id,
    exit_code: exitCode,
    is_error: isError,
    output: output.slice(0, OUTPUT_LIMIT),
    truncated: output.length > OUTPUT_LIMIT,
  });
};

function perform(step: MockStep): void {
  if ('say' in step) {
    emit({ type: 'message', role: 'assistant', text: step.say });
  } else if ('write' in step) {
    const id = call('write', { path: step.write.path }, null);
    mkdirSync(dirname(step.write.path), { recursive: true });
    writeFileSync(step.write.path, step.write.content);
    result(id, 0, '');
  } else if ('run' in step) {
    const id = call('shell', { command: step.run }, step.run);
    const done = spawnSync('sh', ['-c', step.run], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
    result(id, done.status, done.stdout + done.stderr);
  } else if ('wait_secs' in step) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, step.wait_secs * 1000);
  } else if ('tool_call' in step) {
    const { id, name, input, command } = step.tool_call;
    emit({ type: 'tool_call', id: id ?? `mock-${++calls}`, name, input: input ?? null, command: command ?? null });
  } else if ('tool_result' in step) {
    const { id, exit_code, is_error, output } = step.tool_result;
    const exitCode = exit_code ?? null;
    result(id ?? `mock-${calls}`, exitCode, output ?? '', is_error ?? (exitCode !== null && exitCode !== 0));
  } else {
    process.exit(step.exit);
  }
}

const { steps } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as { steps: MockStep[] };
if (steps.length === 0) {
  emit({ type: 'message', role: 'assistant', text: 'The mock agent has no steps in this scenario and did nothing.' });
}
steps.forEach(perform);
