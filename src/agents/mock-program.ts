import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beginningOf, type Json } from '#lib';
import type { EventBody } from '#model';
import type { MockStep } from './mock-schema.js';
import type { mcpSettings } from './subject-files.js';
import type { McpClients } from './mcp-client.js';
import { usageOfStep } from './mock-script.js';

/*
 * The mock agent as a program: `node mock-program.js STEPS.json [MCP.json]`, started in the workspace. Its output is
 * our event stream.
 */

const MAX_OUTPUT = 64 * 1024;
/** The time to wait for more output after a command has exited. */
const DRAIN_MS = 100;

const emit = (event: EventBody): void => {
  writeFileSync(1, `${JSON.stringify(event)}\n`);
};

let calls = 0;
const call = (name: string, input: Record<string, Json>, command: string | null): string => {
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
    output: beginningOf(output, MAX_OUTPUT),
    truncated: output.length > MAX_OUTPUT,
  });
};

/** Runs a command until it exits. Its background processes keep running, and may keep its output open forever. */
async function runShell(command: string): Promise<{ exitCode: number | null; output: string }> {
  const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [child.stdout, child.stderr].map((stream) => {
    const kept = { text: '' };
    stream.setEncoding('utf8').on('data', (text: string) => {
      if (kept.text.length <= MAX_OUTPUT) kept.text += text;
    });
    return kept;
  });
  const closed = once(child, 'close');
  const [exitCode] = (await once(child, 'exit')) as [number | null];
  await Promise.race([closed, sleep(DRAIN_MS, undefined, { ref: false })]);
  return { exitCode, output: output.map(({ text }) => text).join('') };
}

/** The client is loaded only for scenarios with MCP servers: loading it takes longer than most scripts. */
async function connect(file: string | undefined): Promise<McpClients | null> {
  if (file === undefined) return null;
  const { mcpServers } = JSON.parse(readFileSync(file, 'utf8')) as {
    mcpServers: NonNullable<ReturnType<typeof mcpSettings>>;
  };
  const { connectMcp } = await import('./mcp-client.js');
  return connectMcp(mcpServers);
}

async function perform(step: MockStep): Promise<void> {
  if ('say' in step) {
    emit({ type: 'message', role: 'assistant', text: step.say });
  } else if ('write' in step) {
    const id = call('write', { path: step.write.path }, null);
    mkdirSync(dirname(step.write.path), { recursive: true });
    writeFileSync(step.write.path, step.write.content);
    result(id, 0, '');
  } else if ('run' in step) {
    const id = call('shell', { command: step.run }, step.run);
    const { exitCode, output } = await runShell(step.run);
    result(id, exitCode, output);
  } else if ('wait_secs' in step) {
    await sleep(step.wait_secs * 1000);
  } else if ('mcp' in step) {
    const { server, tool, args } = step.mcp;
    const id = call(`mcp__${server}__${tool}`, args, null);
    const answer = await mcp?.call(server, tool, args);
    result(id, null, answer?.text ?? `there is no MCP server ${server}`, answer?.isError ?? true);
  } else if ('tool_call' in step) {
    const { id, name, input, command } = step.tool_call;
    emit({
      type: 'tool_call',
      id: id ?? `mock-${++calls}`,
      name,
      input: input ?? null,
      command: command ?? null,
    });
  } else if ('tool_result' in step) {
    const { id, exit_code, is_error, output } = step.tool_result;
    const exitCode = exit_code ?? null;
    result(id ?? `mock-${calls}`, exitCode, output ?? '', is_error ?? (exitCode !== null && exitCode !== 0));
  } else if ('usage' in step) {
    emit(usageOfStep(step.usage));
  } else {
    process.exit(step.exit);
  }
}

const { steps } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as { steps: MockStep[] };
if (steps.length === 0) {
  emit({
    type: 'message',
    role: 'assistant',
    text: 'The mock agent has no steps in this scenario and did nothing.',
  });
}
const mcp = await connect(process.argv[3]);
for (const step of steps) await perform(step);
await mcp?.close();
process.exit(0); // even if background processes still hold the pipes of a command
