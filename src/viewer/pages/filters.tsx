import { plainText } from '../../lib/format/plain-text.js';
import type { SweepAnswer } from '../protocol.js';
import { queryOf, type Selection } from '../shared/select-runs.js';

interface FiltersProps {
  choices: SweepAnswer['choices'];
  selection: Selection;
  set: (change: Partial<Selection>) => void;
}

/** What can be selected of a sweep's runs. */
export function Filters({ choices: { outcomes, scenarios, agents, labels }, selection, set }: FiltersProps) {
  const choices: [keyof Selection, string, string[]][] = [
    ['outcome', 'outcomes', outcomes],
    ['scenario', 'scenarios', scenarios],
    ['agent', 'agents', agents],
    ['label', 'labels', labels],
  ];
  const isFiltered = queryOf(selection) !== '';
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <input
        type="search"
        aria-label="Search runs"
        placeholder="Search scenario, agent, reason"
        value={selection.text}
        onInput={(event) => set({ text: event.currentTarget.value })}
      />
      {choices
        .filter(([name, , values]) => values.length > 0 || name !== 'label')
        .map(([name, plural, values]) => (
          <select
            key={name}
            aria-label={`Only these ${plural}`}
            value={selection[name]}
            onChange={(event) => set({ [name]: event.currentTarget.value })}
          >
            <option value="">All {plural}</option>
            {values.map((value) => (
              <option key={value} value={value}>
                {plainText(value)}
              </option>
            ))}
          </select>
        ))}
      {isFiltered && (
        <button
          type="button"
          onClick={() => set({ outcome: '', agent: '', scenario: '', label: '', text: '', at: '' })}
        >
          Show all
        </button>
      )}
    </form>
  );
}
