import { plainText } from '../../lib/format/plain-text.js';
import type { RunEvent } from '../../results/records/events.js';
import { hasFailed, type Call } from './conversation.js';
import { Text } from './parts.js';

interface CallProps {
  call: Call;
  /** Whether the address points to it. */
  isShown: boolean;
  wholeOf: (
    event: { seq: number; cut?: number },
    textOf: (event: RunEvent) => string,
  ) => (() => Promise<string>) | undefined;
}

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
