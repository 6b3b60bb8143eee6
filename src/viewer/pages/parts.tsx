import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { plainText } from '#lib/pure';
import type { ShownTable } from '../protocol.js';
import { cutText } from './cut-text.js';

const MARKS: Readonly<Record<string, string>> = {
  pass: '✓',
  fail: '✗',
  error: '!',
  cancelled: '–',
  running: '▶',
  waiting: '·',
};

/** An outcome or a status, by sign, word and colour. */
export const Chip = ({ look, children }: { look: string; children?: ComponentChildren }) => (
  <span class={`chip ${look}`}>
    <span aria-hidden="true">{MARKS[look] ?? ''} </span>
    {children ?? look}
  </span>
);

/** Foreign text on one line. */
export const Name = ({ children }: { children: string }) => <>{plainText(children).replace(/\s+/g, ' ')}</>;

interface TextProps {
  text: string;
  /** The number of lines that are shown at first. */
  lines?: number;
  /** Keep the columns of a terminal. */
  mono?: boolean;
  /** Gets all of a text of which the server has sent only the beginning. */
  whole?: (() => Promise<string>) | undefined;
}

/** Foreign text: harmless, and cut until the user wants to see all of it. */
export function Text({ text, lines = 30, mono = false, whole }: TextProps) {
  const [all, setAll] = useState<string | null>(null);
  const { shown, rest } = cutText(text, lines);
  const isCut = rest !== null || whole !== undefined;
  const look = mono ? 'text mono' : 'text';
  const showAll = (): void => {
    if (whole === undefined) setAll(text);
    else
      void whole().then(setAll, (error: unknown) => {
        setAll(`${text}\n${(error as Error).message}`);
      });
  };
  if (all !== null) return <div class={look}>{plainText(all)}</div>;
  return (
    <>
      <div class={look}>{shown}</div>
      {isCut && (
        <button type="button" class="link" onClick={showAll}>
          Show all{rest === null ? '' : ` (${rest})`}
        </button>
      )}
    </>
  );
}

/** A link to another site: only to web pages, whatever the address is. */
export const Outside = ({ href, children }: { href: string; children: ComponentChildren }) =>
  /^https?:\/\//.test(href) ? (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ) : (
    <span>{children}</span>
  );

interface PageProps {
  title: string;
  /** Links to the pages above it. */
  crumbs?: ComponentChildren;
  look?: string;
  children: ComponentChildren;
}

/** A page, with its title in the tab. */
export function Page({ title, crumbs = null, look, children }: PageProps) {
  useEffect(() => {
    document.title = `${plainText(title)} · llm-tool-test`;
  }, [title]);
  return (
    <main id="main" class={look}>
      {crumbs !== null && (
        <nav aria-label="Breadcrumb" class="crumbs">
          {crumbs}
        </nav>
      )}
      {children}
    </main>
  );
}

/** A table of texts and numbers. */
export const PlainTable = ({ headings, children }: { headings: readonly string[]; children: ComponentChildren }) => (
  <table class="plain">
    <thead>
      <tr>
        {headings.map((text) => (
          <th key={text} scope="col">
            {text}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
);

/** The placeholder for a page that is not there (yet). */
export const Waiting = ({ problem }: { problem: string | null }) =>
  problem === null ? (
    <p class="soft" role="status">
      Loading …
    </p>
  ) : (
    <p class="note" role="alert">
      {plainText(problem)}
    </p>
  );

/** A problem above a page that may be old. */
export const Problem = ({ text }: { text: string | null }) =>
  text === null ? null : (
    <p class="note" role="alert">
      {plainText(text)}
    </p>
  );

interface Shares {
  passed: number;
  failed: number;
  errored: number;
  cancelled: number;
  cells: number;
}

/** The shares of the outcomes, as a bar. */
export function OutcomeBar({ totals }: { totals: Shares }) {
  const shares: [string, number][] = [
    ['pass', totals.passed],
    ['fail', totals.failed],
    ['error', totals.errored],
    ['cancelled', totals.cancelled],
  ];
  let from = 0;
  const parts = shares.map(([look, count]) => {
    const at = from;
    from += count;
    return <rect key={look} class={look} x={at} y={0} width={count} height={1} />;
  });
  return (
    <svg
      class="bar"
      viewBox={`0 0 ${Math.max(1, totals.cells)} 1`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${totals.passed} passed, ${totals.failed} failed, ${totals.errored} errors, of ${totals.cells}`}
    >
      {parts}
    </svg>
  );
}

/** Terms with their values. */
export const Facts = ({ facts }: { facts: readonly (readonly [term: string, value: ComponentChildren])[] }) => (
  <dl class="facts">
    {facts.map(([term, value]) => (
      <div key={term}>
        <dt>{term}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** Tables of numbers, as a command prints them. */
export const Tables = ({ tables }: { tables: readonly ShownTable[] }) => (
  <>
    {tables.map(({ title, columns, rows }) => (
      <section key={title} aria-label={title}>
        <h2>
          <Name>{title}</Name>
        </h2>
        <div class="card scroll" tabIndex={0} role="group" aria-label={`Table: ${title}`}>
          <table class="plain">
            <thead>
              <tr>
                {columns.map((text, at) =>
                  text === '' ? (
                    <td key={at} />
                  ) : (
                    <th key={at} scope="col">
                      <Name>{text}</Name>
                    </th>
                  ),
                )}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, number) => (
                <tr key={number}>
                  {row.map((text, at) => (
                    <td key={at}>
                      <Name>{text}</Name>
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
    ))}
  </>
);
