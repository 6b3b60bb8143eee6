import { dirname } from 'node:path';
import { shellWord } from '#lib';
import { type EventBody, NO_USAGE } from '#model';
import type { MockScript, MockStep } from './mock-schema.js';

type Usage = Extract<MockStep, { usage: unknown }>['usage'];

/**
 * The event of a step `usage`. A step that names tokens names all of them, so that input or output that it omits is 0.
 */
export function usageOfStep({ cost_usd, ...tokens }: Usage): EventBody {
  const required = Object.keys(tokens).length === 0 ? {} : { input: 0, output: 0 };
  return { type: 'usage', ...NO_USAGE, ...required, ...tokens, cost_usd: cost_usd ?? null };
}

const LIMIT = 64 * 1024;

/**
 * Shell functions that only need standard tools. `json` converts standard input to the inside of a JSON string.
 * `perform` runs a command and prints its result as an event.
 */
const FUNCTIONS = String.raw`json() {
  LC_ALL=C awk '
    function swap(text, from, to,   done, at) {
      for (done = ""; (at = index(text, from)) > 0; text = substr(text, at + 1)) done = done substr(text, 1, at - 1) to
      return done text
    }
    {
      text = swap(swap($0, "\\", "\\\\"), "\"", "\\\"")
      for (i = 1; i < 32; i++) text = swap(text, sprintf("%c", i), sprintf("\\u%04x", i))
      printf "%s%s", sep, text
      sep = "\\n"
    }'
}
perform() {
  said=$(mktemp -d) || exit 126
  sh -c "$2" </dev/null >"$said/out" 2>"$said/err"
  code=$? error=true cut=false
  [ $code = 0 ] && error=false
  cat "$said/err" >>"$said/out"
  [ "$(wc -c <"$said/out")" -gt ${LIMIT} ] && cut=true
  # A newline at the end is a line of its own to awk only when something follows it.
  printf '{"type":"tool_result","id":"%s","exit_code":%s,"is_error":%s,"output":"%s","truncated":%s}\n' "$1" "$code" "$error" \
    "$(head -c ${LIMIT} "$said/out" | { cat; echo .; } | json | sed 's/\.$//')" "$cut"
  rm -rf "$said"
}
`;

/** Returns the mock agent as a script for `sh`, for containers, which do not have our Node. */
export function mockScript({ steps }: MockScript): string {
  let calls = 0;
  const call = (name: string, input: Record<string, string>, command: string | null) => ({
    type: 'tool_call' as const,
    id: `mock-${++calls}`,
    name,
    input,
    command,
  });
  const linesOf = (step: MockStep): string[] => {
    if ('say' in step) return [emit({ type: 'message', role: 'assistant', text: step.say })];
    if ('write' in step) {
      const { path, content } = step.write;
      const event = call('write', { path }, null);
      return [
        emit(event),
        `mkdir -p ${shellWord(`./${dirname(path)}`)} && printf %s ${shellWord(content)} >${shellWord(`./${path}`)} || exit 1`,
        emit(resultOf(event.id, 0, '', false)),
      ];
    }
    if ('run' in step) {
      const event = call('shell', { command: step.run }, step.run);
      return [emit(event), `perform ${event.id} ${shellWord(step.run)}`];
    }
    if ('wait_secs' in step) return [`sleep ${step.wait_secs}`];
    if ('tool_call' in step) {
      const { id, name, input, command } = step.tool_call;
      return [
        emit({
          type: 'tool_call',
          id: id ?? `mock-${++calls}`,
          name,
          input: input ?? null,
          command: command ?? null,
        }),
      ];
    }
    if ('tool_result' in step) {
      const { id, exit_code = null, is_error, output = '' } = step.tool_result;
      const isError = is_error ?? (exit_code !== null && exit_code !== 0);
      return [emit(resultOf(id ?? `mock-${calls}`, exit_code, output, isError))];
    }
    if ('mcp' in step) {
      // Planning has refused MCP servers in containers.
      const { server, tool, args } = step.mcp;
      const id = `mock-${++calls}`;
      return [
        emit({ type: 'tool_call', id, name: `mcp__${server}__${tool}`, input: args, command: null }),
        emit(resultOf(id, null, `there is no MCP server ${server}`, true)),
      ];
    }
    if ('usage' in step) return [emit(usageOfStep(step.usage))];
    return [`exit ${step.exit}`];
  };
  const nothing = 'The mock agent has no steps in this scenario and did nothing.';
  const all: MockStep[] = steps.length === 0 ? [{ say: nothing }] : steps;
  return `${FUNCTIONS}${all.flatMap(linesOf).join('\n')}\nexit 0\n`;
}

const emit = (event: EventBody): string => `printf '%s\\n' ${shellWord(JSON.stringify(event))}`;

const resultOf = (id: string, exit_code: number | null, output: string, is_error: boolean): EventBody => ({
  type: 'tool_result',
  id,
  exit_code,
  is_error,
  output: output.slice(0, LIMIT),
  truncated: output.length > LIMIT,
});
