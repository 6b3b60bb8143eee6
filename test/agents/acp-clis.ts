import { chmod, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { installNpm, provideCli, provideCopilot } from './clis.js';
import { provideNode24 } from './eliza-runtime.js';
import { installer, installOnce } from './install-once.js';

const report = (text: string): void => console.log(text);

/** A real agent that speaks ACP, as it is tested. */
interface AcpCli {
  model: string;
  /** The path of its program, which is installed if needed. Null if nothing here can run it. */
  provide: () => Promise<string | null>;
  /** True if its output has the exit statuses of commands. */
  codes: boolean;
}

/** By the names of presets. */
export const ACP_CLIS = {
  copilot: { model: 'openai/gpt-5-mini', codes: true, provide: () => provideCopilot(report) },
  qwen: { model: 'openai/gpt-5.5', codes: true, provide: () => onNode24('qwen', '@qwen-code/qwen-code', '0.24.4') },
  kimi: { model: 'openai/gpt-5.5', codes: true, provide: () => onNode24('kimi', '@moonshot-ai/kimi-code', '2.1.0') },
  vibe: { model: 'openai/gpt-5.5', codes: false, provide: () => onPython('vibe-acp', 'mistral-vibe', '3.0.2') },
  hermes: { model: 'openai/gpt-5.5', codes: true, provide: () => onPython('hermes', 'hermes-agent[acp]', '0.19.0') },
  'fast-agent': {
    model: 'openai/gpt-5.5',
    codes: false,
    provide: () => onPython('fast-agent', 'fast-agent-mcp', '0.10.48'),
  },
  opencode: {
    model: 'openai/gpt-5.5',
    codes: true,
    provide: () => provideCli('opencode', report),
  },
  gemini: { model: 'gemini-2.5-pro', codes: false, provide: () => provideCli('gemini', report) },
  claude: {
    model: 'claude-sonnet-4-5',
    codes: true,
    provide: () => onNode24('claude-agent-acp', '@agentclientprotocol/claude-agent-acp', '0.101.0'),
  },
  codex: {
    model: 'gpt-5.5',
    codes: true,
    provide: () => onNode24('codex-acp', '@agentclientprotocol/codex-acp', '2.6.0'),
  },
} satisfies Record<string, AcpCli>;
export type AcpCliName = keyof typeof ACP_CLIS;
export const ACP_CLI_NAMES = Object.keys(ACP_CLIS) as AcpCliName[];
export const acpCli = (name: AcpCliName): AcpCli => ACP_CLIS[name];

/** A program of npm that needs a newer Node than this project. */
async function onNode24(bin: string, name: string, version: string): Promise<string> {
  const node = await provideNode24();
  const folder = await installOnce(`${bin}-${version}`, async (into) => {
    await installNpm([`${name}@${version}`], into);
    const starts = `PATH=${dirname(node)}:$PATH exec "$(dirname "$0")/node_modules/.bin/${bin}" "$@"`;
    await writeStart(into, starts);
  });
  return join(folder, 'run');
}

/** A program of PyPI that needs Python 3.12. Null if there is none. */
async function onPython(bin: string, name: string, version: string): Promise<string | null> {
  const python = await findPython();
  if (python === null) return null;
  const folder = await installOnce(`${bin}-${version}`, async (into) => {
    const args = ['-m', 'pip', 'install', '--quiet', '--no-warn-script-location', '--target', into];
    await installer(python, [...args, `${name}==${version}`]);
    await writeStart(into, `PYTHONPATH="$(dirname "$0")" exec "$(dirname "$0")/bin/${bin}" "$@"`);
  });
  return join(folder, 'run');
}

async function writeStart(folder: string, command: string): Promise<void> {
  await writeFile(join(folder, 'run'), `#!/bin/sh\n${command}\n`);
  await chmod(join(folder, 'run'), 0o755);
}

/** The path of Python 3.12 or 3.13. */
async function findPython(): Promise<string | null> {
  const script =
    'for one in python3.12 python3.13 python3 ~/.pyenv/versions/3.1[23].*/bin/python3; do "$one" -c "$0" && exit; done';
  const wanted = 'import sys; print(sys.executable); sys.exit(sys.version_info[:2] not in ((3, 12), (3, 13)))';
  const { stdout, exitCode } = await execa('sh', ['-c', script, wanted], { reject: false });
  return exitCode === 0 ? (stdout.split('\n').at(-1) ?? null) : null;
}
