import { describe, expect, onTestFinished, test } from 'vitest';
import { gatedCommand, letGo, untilStarted, writeGated } from './gated.js';
import { createProject, EMPTY_FIXTURE } from './project.js';
import { noTerminal, openTerminal } from './terminal.js';

const SIZE = { width: 80, height: 24 };

async function terminalOf(name: string, args: string[]) {
  const project = await createProject(EMPTY_FIXTURE);
  onTestFinished(() => project.remove());
  await writeGated(project, name, {
    steps: [`run: '${gatedCommand(project, name)}'`, 'say: what I did is described in a long sentence'],
  });
  const terminal = await openTerminal(project, ['run', name, '--name', name, ...args], SIZE);
  onTestFinished(() => terminal.close());
  await untilStarted(project, name);
  return { project, terminal };
}

describe.skipIf(noTerminal !== null)(
  `the live view in a terminal${noTerminal === null ? '' : `: ${noTerminal}`}`,
  () => {
    test('shows what the agent is doing, fits a terminal that is resized, and gives way to the result', async () => {
      const { project, terminal } = await terminalOf('shown', ['--repeat', '2', '--concurrency', '1']);
      const running = await terminal.untilScreen('what the agent does', (lines) =>
        lines.some((line) => /#1 +agent .*\$ echo start/.test(line)),
      );
      expect(running.find((line) => line.includes('running'))).toMatch(/^shown-\w+  running  .* mock\/default$/);
      expect(running).toContain('0 passed  0 failed  0 errors  1 running  1 waiting');
      expect(running.at(-1)).toBe('Ctrl-C pauses; press it twice to cancel');
      await terminal.resize(50, 12);
      const narrow = await terminal.untilScreen('a narrower frame', (lines) =>
        lines.some((line) => /\$ ec.*…$/.test(line)),
      );
      expect(narrow.filter((line) => line.includes('shown-'))).toHaveLength(1);
      expect(narrow.length).toBeLessThanOrEqual(12);
      await terminal.resize(80, 24);
      await letGo(project, 'shown');
      const ended = await terminal.untilScreen('the end', (lines) => lines.includes('exit code 0'));
      expect(ended.filter((line) => line.includes('✓ pass'))).toHaveLength(2);
      expect(ended.join('\n')).not.toContain('Ctrl-C');
    });

    test('says after Ctrl-C what happens and that another one cancels, and counts finished runs only once', async () => {
      const { project, terminal } = await terminalOf('stopped', ['--repeat', '3', '--concurrency', '2']);
      await terminal.untilScreen('the hint', (lines) => lines.at(-1)?.startsWith('Ctrl-C pauses') === true);
      await terminal.press('C-c');
      const pausing = await terminal.untilScreen(
        'that it pauses',
        (lines) => lines.at(-1)?.startsWith('Ctrl-C again cancels') === true,
      );
      expect(pausing.join(' ')).toContain(
        'pausing: running agents finish, no new cells start; press Ctrl-C again to cancel',
      );
      await letGo(project, 'stopped');
      const ended = await terminal.untilScreen('the end', (lines) => lines.includes('exit code 130'));
      expect(ended.join('\n')).toContain('3 cells: 2 passed, 1 not finished');
    });
  },
);
