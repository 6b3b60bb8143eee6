import type { ComparedConfiguration, Comparison } from '#decide';
import { plainText } from '#lib/pure';
import type { ComparisonAnswer, SweepsAnswer } from '../protocol.js';
import { useLoaded, useWatched } from './api.js';
import { compareRunsAddress } from './compare-runs-page.js';
import { Chip, Name, Page, Tables, Waiting } from './parts.js';
import { addressOf, replaceQuery } from './router.js';
import { agentName, selectionKey } from '../shared/configuration.js';
import { shownVerdict } from '../shared/shown-verdict.js';

const SWEEPS = 200;

/** Two sweeps or variants side by side: the verdict, and the interval of each difference. */
export function ComparePage({ query }: { query: URLSearchParams }) {
  const { value: list } = useWatched<SweepsAnswer>(`/api/sweeps?limit=${SWEEPS}`);
  const [base, head, variants] = ['base', 'head', 'variants'].map((name) => query.get(name) ?? '');
  const choose = (name: string, value: string): void => {
    const next = new URLSearchParams(query);
    next.set(name, value);
    next.delete('variants');
    replaceQuery(`?${next.toString()}`);
  };
  const sides = [
    ['base', 'Before', base ?? ''],
    ['head', 'After', head ?? ''],
  ] as const;
  const isChosen = base !== '' && head !== '' && (base !== head || variants !== '');
  return (
    <Page title="Compare" crumbs={<a href={addressOf()}>Sweeps</a>}>
      <div class="title">
        <h1>Compare</h1>
        {(variants ?? '') !== '' && (
          <span class="tag">
            <Name>{(variants ?? '').replace(',', ' → ')}</Name>
          </span>
        )}
      </div>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        {sides.map(([name, label, value]) => (
          <label key={name}>
            <span class="soft">{label} </span>
            <select value={value} onChange={(event) => choose(name, event.currentTarget.value)}>
              <option value="">Choose a sweep</option>
              {(list?.sweeps ?? []).map(({ id }) => (
                <option key={id} value={id}>
                  <Name>{id}</Name>
                </option>
              ))}
            </select>
          </label>
        ))}
      </form>
      {isChosen ? (
        <Compared query={new URLSearchParams({ base: base ?? '', head: head ?? '', variants: variants ?? '' })} />
      ) : (
        <p class="soft">Choose two sweeps. The older one is mostly what you compare with.</p>
      )}
    </Page>
  );
}

function Compared({ query }: { query: URLSearchParams }) {
  const { value, problem } = useLoaded<ComparisonAnswer>(`/api/compare?${query.toString()}`);
  if (value === null) return <Waiting problem={problem} />;
  const { comparison, words, sure, tables, needed } = value;
  return (
    <>
      <div class={`verdict card ${sure ?? ''}`}>
        {words.map((text, at) =>
          at === 0 ? (
            <p key={text} class="headline">
              <strong class="words">{plainText(text)}</strong>
            </p>
          ) : (
            <p key={text}>{plainText(text).trim()}</p>
          ),
        )}
      </div>
      <section aria-label="Differences" class="card scroll" tabIndex={0}>
        <table class="matrix plots">
          <thead>
            <tr>
              <th scope="col">Scenario</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
              <th scope="col">
                Difference of the pass rate, with its {Math.round(100 * (1 - comparison.alpha))} % interval
              </th>
              <th scope="col">Verdict</th>
              <th scope="col">Transcripts</th>
            </tr>
          </thead>
          <tbody>
            {comparison.configurations.map((one) => (
              <Row key={selectionKey(one)} one={one} comparison={comparison} />
            ))}
          </tbody>
        </table>
      </section>
      {needed.map((text) => (
        <p key={text} class="soft">
          <Name>{text}</Name>
        </p>
      ))}
      <Tables tables={tables} />
      {comparison.doubts.map((text) => (
        <p key={text} class="note">
          <Name>{text}</Name>
        </p>
      ))}
    </>
  );
}

const LOOKS: Readonly<Record<string, string>> = { better: 'pass', worse: 'fail' };

function Row({ one, comparison }: { one: ComparedConfiguration; comparison: Comparison }) {
  const at = new URLSearchParams({ at: selectionKey(one) }).toString();
  const verdict = shownVerdict(one);
  return (
    <tr>
      <th scope="row">
        <Name>{one.scenario}</Name>
        {one.variant !== 'default' && (
          <>
            {' '}
            <span class="tag">
              <Name>{one.variant}</Name>
            </span>
          </>
        )}{' '}
        <span class="soft">
          <Name>{agentName(one)}</Name>
        </span>
      </th>
      {[[one.base, comparison.base.sweep] as const, [one.head, comparison.head.sweep] as const].map(
        ([side, sweep], number) => (
          <td key={number}>
            {side.tested === 0 ? (
              <span class="soft">not tested</span>
            ) : comparison.base.variant === null ? (
              <a href={`${addressOf('sweeps', sweep)}?${at}`}>
                {side.passed} of {side.tested}
              </a>
            ) : (
              `${side.passed} of ${side.tested}`
            )}
          </td>
        ),
      )}
      <td>
        <Plot one={one} />
      </td>
      <td>
        <Chip look={LOOKS[verdict.sure ?? ''] ?? ''}>{verdict.text}</Chip>
      </td>
      <td>
        {one.base.tested > 0 && one.head.tested > 0 && (
          <a href={besideOf(one, comparison)} aria-label={`${one.scenario}, ${agentName(one)}: side by side`}>
            Side by side
          </a>
        )}
      </td>
    </tr>
  );
}

/** The page with a run of each side. */
const besideOf = (one: ComparedConfiguration, { base, head }: Comparison): string => {
  const cell = (variant: string | null): string => selectionKey({ ...one, variant: variant ?? one.variant });
  return compareRunsAddress(
    { sweep: base.sweep, cell: cell(base.variant) },
    { sweep: head.sweep, cell: cell(head.variant) },
  );
};

/** A difference and its interval between -1 (all fail now) and 1 (all pass now). */
function Plot({ one }: { one: ComparedConfiguration }) {
  const { difference, interval } = one;
  const look = shownVerdict(one).sure ?? '';
  if (difference === null) return <span class="soft">–</span>;
  const points = Math.round(100 * difference);
  const words = interval === null ? '' : `, between ${text(interval.low)} and ${text(interval.high)}`;
  return (
    <div class="plot">
      <svg viewBox="-1.05 -0.1 2.1 0.2" role="img" aria-label={`${text(difference)} points${words}`}>
        <line class="axis" x1={-1} x2={1} y1={0} y2={0} />
        <line class="zero" x1={0} x2={0} y1={-0.09} y2={0.09} />
        {interval !== null && <line class={`range ${look}`} x1={interval.low} x2={interval.high} y1={0} y2={0} />}
        <circle class={look} cx={difference} cy={0} r={0.032} />
      </svg>
      <span>{points > 0 ? `+${points}` : points}</span>
    </div>
  );
}

const text = (share: number): string => String(Math.round(100 * share));
