import { randomUUID } from 'node:crypto';
import { execa, execaSync } from 'execa';
import { CLI, until, type TestProject } from './project.js';

/** The reason why no terminal can be opened here; null if one can. */
export const noTerminal = execaSync('tmux', ['-V'], { reject: false }).exitCode === 0 ? null : 'tmux is not installed';

/** A real terminal in which the command line runs. */
export interface Terminal {
  /** The lines on the screen, without empty ones at the end. */
  screen(): Promise<string[]>;
  /** Waits until the screen fulfils a condition, and returns it. */
  untilScreen(what: string, holds: (lines: string[]) => boolean): Promise<string[]>;
  press(key: string): Promise<void>;
  resize(width: number, height: number): Promise<void>;
  close(): Promise<void>;
}

interface Size {
  width: number;
  height: number;
}

/** Opens a terminal of that size, which shows the exit code of the command at the end. */
export async function openTerminal(
  { folder, env }: TestProject,
  args: string[],
  { width, height }: Size,
): Promise<Terminal> {
  const socket = `llm-tool-test-${randomUUID()}`;
  const tmux = (...words: string[]) => execa('tmux', ['-L', socket, '-f', '/dev/null', ...words], { cwd: folder, env });
  // Ctrl-C is for the command, not for the shell around it.
  const command = `trap : INT; '${CLI}' ${args.join(' ')}; echo "exit code $?"; sleep 600`;
  await tmux('new-session', '-d', '-x', String(width), '-y', String(height), 'sh', '-c', command);
  const screen = async (): Promise<string[]> => (await tmux('capture-pane', '-p')).stdout.trimEnd().split('\n');
  return {
    screen,
    untilScreen: (what, holds) =>
      until(what, async () => {
        const lines = await screen();
        return holds(lines) ? lines : null;
      }),
    press: (key) => tmux('send-keys', key).then(() => undefined),
    resize: (columns, rows) => tmux('resize-window', '-x', String(columns), '-y', String(rows)).then(() => undefined),
    close: () => tmux('kill-server').then(() => undefined),
  };
}
