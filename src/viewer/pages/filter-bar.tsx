import { useEffect, useState } from 'preact/hooks';
import { plainText } from '#lib/pure';
import type { SweepAnswer } from '../protocol.js';
import { COLUMNS } from '../shared/columns.js';
import { completionsOf, type FilterProblem, parseFilter, valuesAskedFor, withValues } from '../shared/filter.js';
import { queryOf, type Selection } from '../shared/selection.js';
import { downloadRuns } from './download-runs.js';
import { Problem } from './parts.js';
import { shownColumns } from './run-table.js';

interface FilterBarProps {
  answer: SweepAnswer;
  selection: Selection;
  set: (change: Partial<Selection>) => void;
}

const FAILURES = ['fail', 'error'];
const USUAL: Selection = { filter: '', at: '', sort: '', columns: '', against: '' };

/** Selects runs and columns, and saves what is shown. */
export function FilterBar({ answer, selection, set }: FilterBarProps) {
  const { choices, against } = answer;
  const { filter } = selection;
  const outcomes = valuesAskedFor(filter, 'outcome');
  const isFailures = outcomes.join() === FAILURES.join();
  const selects: [column: string, plural: string][] = [
    ['outcome', 'outcomes'],
    ['scenario', 'scenarios'],
    ['agent', 'agents'],
    ['label', 'labels'],
  ];
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <Expression {...{ filter, choices }} setFilter={(text) => set({ filter: text })} />
      {selects
        .filter(([column]) => (choices[column] ?? []).length > 0)
        .map(([column, plural]) => (
          <Choice
            key={column}
            label={`Only these ${plural}`}
            all={`All ${plural}`}
            value={valuesAskedFor(filter, column).join()}
            values={choices[column] ?? []}
            onChoose={(value) => set({ filter: withValues(filter, column, value === '' ? [] : [value]) })}
          />
        ))}
      <button
        type="button"
        aria-pressed={isFailures}
        onClick={() => set({ filter: withValues(filter, 'outcome', isFailures ? [] : FAILURES) })}
      >
        Failures
      </button>
      {against.length > 0 && (
        <Choice
          label="Only runs whose outcome differs from that of"
          all="Different from …"
          value={selection.against}
          values={against}
          onChoose={(value) => set({ against: value })}
        />
      )}
      <Columns {...{ answer, selection, set }} />
      <Downloads {...{ answer, selection }} />
      {queryOf(selection) !== '' && (
        <button type="button" onClick={() => set(USUAL)}>
          Show all
        </button>
      )}
    </form>
  );
}

interface ChoiceProps {
  label: string;
  /** The words for no choice. */
  all: string;
  value: string;
  values: readonly string[];
  onChoose: (value: string) => void;
}

const Choice = ({ label, all, value, values, onChoose }: ChoiceProps) => (
  <select aria-label={label} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
    <option value="">{all}</option>
    {[...new Set([...values, ...(value === '' ? [] : [value])])].map((one) => (
      <option key={one} value={one}>
        {plainText(one)}
      </option>
    ))}
  </select>
);

interface ExpressionProps {
  filter: string;
  choices: SweepAnswer['choices'];
  setFilter: (text: string) => void;
}

/** The field for an expression. One that cannot be read changes nothing, and the wrong word of it is shown. */
function Expression({ filter, choices, setFilter }: ExpressionProps) {
  const [typed, setTyped] = useState(filter);
  useEffect(() => setTyped(filter), [filter]);
  const read = parseFilter(typed);
  return (
    <>
      <input
        type="search"
        class="expression"
        aria-label="Filter runs"
        aria-invalid={'problem' in read}
        aria-describedby="filter-problem"
        list="completions"
        autocomplete="off"
        spellcheck={false}
        placeholder={'agent:codex outcome:fail cost>0.5 "text"'}
        value={typed}
        onInput={({ currentTarget: { value } }) => {
          setTyped(value);
          if (!('problem' in parseFilter(value))) setFilter(value);
        }}
      />
      <datalist id="completions">
        {completionsOf(typed, choices).map((text) => (
          <option key={text} value={text} />
        ))}
      </datalist>
      <div id="filter-problem" class="wrong" role="status">
        {'problem' in read && <WrongWord typed={typed} problem={read.problem} />}
      </div>
    </>
  );
}

const WrongWord = ({ typed, problem: { from, to, message } }: { typed: string; problem: FilterProblem }) => (
  <p class="small">
    <code>
      {plainText(typed.slice(0, from))}
      <mark>{plainText(typed.slice(from, to))}</mark>
      {plainText(typed.slice(to))}
    </code>{' '}
    {plainText(message)}
  </p>
);

/** The columns of the table, to be chosen. */
function Columns({ answer, selection, set }: FilterBarProps) {
  const shown = shownColumns(selection, answer.columns).map(({ name }) => name);
  const toggle = (name: string): void => {
    const names = shown.includes(name) ? shown.filter((one) => one !== name) : [...shown, name];
    set({ columns: COLUMNS.flatMap((one) => (names.includes(one.name) ? [one.name] : [])).join() });
  };
  return (
    <details class="menu">
      <summary>Columns</summary>
      <fieldset>
        <legend class="hidden">Columns of the table</legend>
        {COLUMNS.filter(({ name }) => answer.columns.includes(name) || shown.includes(name)).map(({ name, title }) => (
          <label key={name}>
            <input type="checkbox" checked={shown.includes(name)} onChange={() => toggle(name)} /> {title}
          </label>
        ))}
        <button type="button" onClick={() => set({ columns: '' })}>
          The usual ones
        </button>
      </fieldset>
    </details>
  );
}

function Downloads({ answer, selection }: Pick<FilterBarProps, 'answer' | 'selection'>) {
  const [problem, setProblem] = useState<string | null>(null);
  const save = (format: 'csv' | 'json'): void => {
    setProblem(null);
    downloadRuns(answer.document.sweep, selection, shownColumns(selection, answer.columns), format).catch(
      (error: unknown) => setProblem((error as Error).message),
    );
  };
  return (
    <>
      {(['csv', 'json'] as const).map((format) => (
        <button key={format} type="button" title="Save the selected runs in a file" onClick={() => save(format)}>
          {format.toUpperCase()}
        </button>
      ))}
      <Problem text={problem} />
    </>
  );
}
