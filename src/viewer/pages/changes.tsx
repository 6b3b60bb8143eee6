import { formatBytes, plainText } from '#lib/pure';
import type { ChangesAnswer, DiffLine, FileChange } from '../protocol.js';
import { useLoaded } from './api.js';
import { Name, Waiting } from './parts.js';

/** The differences between the workspace at the end and the fixture. */
export function Changes({ run }: { run: string }) {
  const { value, problem } = useLoaded<ChangesAnswer>(`/api/runs/${encodeURIComponent(run)}/changes`);
  return (
    <section aria-label="Changed files">
      <h2>
        Changed files{' '}
        {value !== null && value.missing === null && <span class="soft">{value.files.length + value.more}</span>}
      </h2>
      {value === null ? (
        <Waiting problem={problem} />
      ) : value.missing !== null ? (
        <p class="soft">Unknown: {value.missing}.</p>
      ) : (
        <div class="card files">
          {value.files.map((file) => (
            <File key={file.path} file={file} />
          ))}
          {value.files.length === 0 && <p class="soft">None.</p>}
          {value.more > 0 && <p class="soft">{value.more} more are not shown.</p>}
        </div>
      )}
    </section>
  );
}

/** Larger differences are shown on request. */
const MAX_OPEN = 60;

function File({ file: { path, change, bytes, lines, note } }: { file: FileChange }) {
  const counted = (kind: DiffLine['kind']): number => lines?.filter((line) => line.kind === kind).length ?? 0;
  return (
    <details open={lines !== null && lines.length <= MAX_OPEN}>
      <summary>
        <code class="name">
          <Name>{path}</Name>
        </code>{' '}
        <span class="soft">
          {change}
          {bytes !== null && `, ${formatBytes(bytes)}`}
        </span>
        {lines !== null && (
          <span class="counts">
            <span class="pass">+{counted('added')}</span> <span class="fail">−{counted('removed')}</span>
          </span>
        )}
      </summary>
      {lines === null ? (
        <p class="soft inside">{note}</p>
      ) : (
        <div class="diff mono" role="group" aria-label={`Differences of ${plainText(path)}`}>
          {lines.map((line, at) => (
            <Line key={at} line={line} />
          ))}
        </div>
      )}
    </details>
  );
}

const SIGNS = { same: ' ', added: '+', removed: '−' } as const;
const LONGEST = 1000;

const Line = ({ line }: { line: DiffLine }) =>
  line.kind === 'gap' ? (
    <div class="gap soft">
      {line.lines} equal {line.lines === 1 ? 'line' : 'lines'}
    </div>
  ) : (
    <div class={line.kind}>
      {SIGNS[line.kind]} {plainText(line.text.slice(0, LONGEST))}
      {line.text.length > LONGEST && '…'}
    </div>
  );
