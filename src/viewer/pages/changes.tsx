import { Fragment } from 'preact';
import { formatBytes, plainText } from '#lib/pure';
import type { ChangesAnswer, DiffLine, FileChange } from '../protocol.js';
import { useLoaded } from './api.js';
import { CopyButton } from './commands.js';
import { Name, Waiting } from './parts.js';
import { type Hunk, hunksOf, patchOf } from './unified-diff.js';

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

function File({ file }: { file: FileChange }) {
  const { path, change, bytes, lines, note } = file;
  const patch = patchOf(file);
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
        <>
          <div class="diff mono" role="group" aria-label={`Differences of ${plainText(path)}`}>
            {hunksOf(lines).map(({ header, lines: of }) => (
              <Fragment key={header}>
                <div class="gap soft">{header}</div>
                {of.map((line, at) => (
                  <Line key={at} line={line} />
                ))}
              </Fragment>
            ))}
          </div>
          {patch !== null && (
            <p class="inside">
              <CopyButton text={patch} what={`the differences of ${plainText(path)}`}>
                Copy as a patch
              </CopyButton>
            </p>
          )}
        </>
      )}
    </details>
  );
}

const SIGNS = { same: ' ', added: '+', removed: '−' } as const;
const LONGEST = 1000;

const Line = ({ line: { kind, text } }: { line: Hunk['lines'][number] }) => (
  <div class={kind}>
    {SIGNS[kind]} {plainText(text.slice(0, LONGEST))}
    {text.length > LONGEST && '…'}
  </div>
);
