import type { ShownTable } from '../protocol.js';
import { Name } from './parts.js';

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
