import { type Arguments, fail, isRecord, main, settings } from '../../lib/script.ts';

const DEFAULT_ADDRESS = 'http://127.0.0.1:8233';
const MOST_WORKFLOWS = 999;
const MOST_SECS = 600;

const specification = {
  '--address': 'string',
  '--namespace': 'string',
  '--limit': 'number',
  '--timeout-secs': 'number',
} as const;

main(specification, async (flags) => {
  const { limit = 20, 'timeout-secs': timeoutSecs = 5 } = flags;
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_WORKFLOWS) {
    fail('INVALID_ARGUMENT', `--limit is not 1 to ${MOST_WORKFLOWS}: ${limit}`);
  }
  if (timeoutSecs <= 0 || timeoutSecs > MOST_SECS) {
    fail('INVALID_ARGUMENT', `--timeout-secs is not above 0 and at most ${MOST_SECS}: ${timeoutSecs}`);
  }
  // One more than wanted tells whether there are more; the token of the next page does not.
  const text = await get(urlOf(flags, limit + 1), timeoutSecs * 1000);
  const workflows = executionsIn(text).map((execution) => workflowOf(execution) ?? badResponse(text));
  return { workflows: workflows.slice(0, limit), has_more: workflows.length > limit };
});

function urlOf({ address, namespace = 'default' }: Arguments<typeof specification>, pageSize: number): URL {
  const base = address ?? settings('open-workflows', { address: 'string' }).address ?? DEFAULT_ADDRESS;
  if (!/^https?:/.test(base) || !URL.canParse(base)) fail('INVALID_ARGUMENT', `no HTTP address: ${base}`);
  const url = new URL(`/api/v1/namespaces/${encodeURIComponent(namespace)}/workflows`, base);
  url.searchParams.set('pageSize', String(pageSize));
  url.searchParams.set('query', 'ExecutionStatus = "Running"');
  return url;
}

async function get(url: URL, timeoutMs: number): Promise<string> {
  const { ok, status, text } = await request(url, timeoutMs);
  return ok ? text : fail('HTTP_ERROR', `${url.origin} answers ${status}: ${excerptOf(text)}`);
}

async function request(url: URL, timeoutMs: number) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: 'manual' });
    return { ok: response.ok, status: response.status, text: await response.text() };
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    const { message, cause } = error as Error;
    return fail('SERVICE_UNREACHABLE', `${url.origin}: ${cause instanceof Error ? cause.message : message}`);
  }
}

function executionsIn(text: string): unknown[] {
  const body = parse(text);
  const executions = isRecord(body) ? (body.executions ?? []) : null;
  return Array.isArray(executions) ? executions : badResponse(text);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return badResponse(text);
  }
}

function workflowOf(value: unknown): object | null {
  if (!isRecord(value) || !isRecord(value.execution) || !isRecord(value.type)) return null;
  const { execution, type, taskQueue, startTime } = value;
  const { workflowId, runId } = execution;
  return {
    workflow_id: workflowId,
    run_id: runId,
    type: type.name,
    task_queue: taskQueue,
    start_time: startTime,
  };
}

function badResponse(text: string): never {
  return fail('BAD_RESPONSE', `these are no workflows: ${excerptOf(text)}`);
}

const excerptOf = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 200);
