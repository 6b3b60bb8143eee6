import { useState } from 'preact/hooks';
import { plainText } from '#lib/pure';
import type { EndedRunAnswer } from '../protocol.js';

/** Commands about a run, to be copied. */
export const Commands = ({ commands }: Pick<EndedRunAnswer, 'commands'>) => (
  <section class="card" aria-label="Commands">
    <h2>Commands</h2>
    <ul class="commands">
      {commands.map(({ title, command }) => (
        <li key={title}>
          <span class="soft">{title}</span>
          <code>{plainText(command)}</code>
          <CopyButton text={command} what={title} />
        </li>
      ))}
    </ul>
  </section>
);

/** Copies a text. `what`: names it for those who do not see what is beside the button. */
export function CopyButton({ text, what, children = 'Copy' }: { text: string; what: string; children?: string }) {
  const [said, setSaid] = useState('');
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setSaid('Copied'),
      () => setSaid('The browser does not allow it'),
    );
  };
  return (
    <span>
      <button type="button" aria-label={`${children}: ${what}`} onClick={copy}>
        {children}
      </button>{' '}
      <span class="soft small" role="status">
        {said}
      </span>
    </span>
  );
}
