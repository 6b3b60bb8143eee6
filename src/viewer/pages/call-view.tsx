import { formatBytes, formatDuration, plainText } from '#lib/pure';
import type { RunEvent } from '#model';
import { mcpResultText } from '#model/pure';
import { hasFailed, type Call, type Item, type McpCall } from './conversation.js';
import { Name, Text } from './parts.js';

interface CallProps {
  call: Call;
  /** True if the address points to it. */
  isShown: boolean;
  wholeOf: WholeOf;
}

/** Returns a function that gets the whole text of an event; undefined if nothing of it is cut. */
export type WholeOf = (
  event: { seq: number; cut?: number },
  textOf: (event: RunEvent) => string,
) => (() => Promise<string>) | undefined;

const LONGEST_INPUT = 160;

/** A call of a tool, folded; one that failed is open. */
export function CallView({ call, isShown, wholeOf }: CallProps) {
  const { command, event, result } = call;
  const failed = hasFailed(call);
  const output = result?.output ?? '';
  return (
    <details open={failed || isShown} class={failed ? 'failed' : ''}>
      <summary>
        {command === null ? (
          <code class="command">
            <b>{plainText(event.name)}</b> {shortInput(event.input)}
          </code>
        ) : (
          <code class="command">
            <span class="soft" aria-hidden="true">
              ${' '}
            </span>
            {plainText(command).slice(0, 2000)}
          </code>
        )}
        {call.skills.map((skill) => (
          <span key={skill} class="chip">
            skill <Name>{skill}</Name>
          </span>
        ))}
        <Status call={call} />
      </summary>
      <div class="output">
        {command === null && event.input !== null && (
          <Text
            text={JSON.stringify(event.input, null, 2)}
            lines={12}
            mono
            whole={wholeOf(event, (whole) => ('input' in whole ? JSON.stringify(whole.input, null, 2) : ''))}
          />
        )}
        {output === '' ? (
          <p class="soft">{result === null ? 'No result yet.' : 'No output.'}</p>
        ) : (
          <Text
            text={output}
            lines={24}
            mono
            whole={wholeOf(result ?? event, (whole) => ('output' in whole ? String(whole.output) : ''))}
          />
        )}
        {result?.truncated === true && <p class="soft">The agent has shortened this output.</p>}
      </div>
    </details>
  );
}

interface McpCallProps {
  event: McpCall;
  isShown: boolean;
  wholeOf: WholeOf;
}

/** A call of an MCP server under test, folded; one that failed is open. */
export function McpCallView({ event, isShown, wholeOf }: McpCallProps) {
  const { server, tool, is_error: failed, error, duration_ms: took } = event;
  const input = JSON.stringify(event.arguments, null, 2);
  const result = error ?? mcpResultText(event.result);
  /** Both are parts of one event; what was cut has an ellipsis. */
  const wholeIfCut = (shown: string, textOf: (event: McpCall) => string): ReturnType<WholeOf> =>
    shown.includes('…') ? wholeOf(event, (whole) => (whole.type === 'mcp_call' ? textOf(whole) : '')) : undefined;
  return (
    <details open={failed || isShown} class={failed ? 'failed' : ''}>
      <summary>
        <code class="command">
          <span class="soft">
            MCP <Name>{server}</Name>
          </span>{' '}
          <b>{plainText(tool)}</b> {shortInput(event.arguments)}
        </code>
        <span class={`chip ${failed ? 'fail' : ''}`}>
          {failed && 'failed '}
          {took === null ? 'no answer' : formatDuration(took)}
        </span>
      </summary>
      <div class="output">
        {event.arguments !== null && (
          <Text
            text={input}
            lines={12}
            mono
            whole={wholeIfCut(input, (whole) => JSON.stringify(whole.arguments, null, 2))}
          />
        )}
        <Text
          text={result}
          lines={24}
          mono
          whole={wholeIfCut(result, (whole) => whole.error ?? mcpResultText(whole.result))}
        />
        {event.mocked && <p class="soft">A mock of the scenario answered, not the server.</p>}
      </div>
    </details>
  );
}

/** The tools that an MCP server has offered to the agent, with the sizes of their definitions. */
export function ToolsView({ event: { server, tools } }: { event: Extract<Item, { kind: 'tools' }>['event'] }) {
  const bytes = tools.reduce((sum, tool) => sum + tool.bytes, 0);
  return (
    <details>
      <summary>
        <span class="soft">
          MCP <Name>{server}</Name> offers {tools.length} {tools.length === 1 ? 'tool' : 'tools'}, {formatBytes(bytes)}{' '}
          of definitions
        </span>
      </summary>
      <div class="output">
        <Text text={tools.map((tool) => `${tool.name}  ${formatBytes(tool.bytes)}`).join('\n')} lines={24} mono />
      </div>
    </details>
  );
}

function Status({ call }: { call: Call }) {
  const { result, command } = call;
  if (result === null) return <span class="chip running">running</span>;
  if (result.exit_code !== null)
    return <span class={`chip ${result.exit_code === 0 ? '' : 'fail'}`}>exit {result.exit_code}</span>;
  if (result.is_error) return <span class="chip fail">failed</span>;
  return command === null ? null : <span class="chip">exit n/a</span>;
}

/** The arguments of a call in a few words. */
function shortInput(input: unknown): string {
  if (input === null) return '';
  if (typeof input !== 'object') return plainText(JSON.stringify(input)).slice(0, LONGEST_INPUT);
  const texts = Object.entries(input).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${name}: ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`;
  });
  return plainText(texts.join(', ').replace(/\s+/g, ' ')).slice(0, LONGEST_INPUT);
}
