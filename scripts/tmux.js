import { execFileSync } from 'node:child_process';

/**
 * Opens a terminal of that size in which a command runs. `screen` returns what is on it, with colours.
 * @param {string} name
 * @param {{ command: string, cwd: string, env: NodeJS.ProcessEnv, size: [number, number] }} options
 */
export function openTerminal(name, { command, cwd, env, size: [columns, rows] }) {
  /** @param {string[]} words */
  const tmux = (...words) =>
    execFileSync('tmux', ['-L', name, '-f', '/dev/null', ...words], { cwd, env, encoding: 'utf8' });
  tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), `${command}; sleep 600`);
  return {
    screen: () => tmux('capture-pane', '-p', '-e'),
    close: () => tmux('kill-server'),
  };
}
