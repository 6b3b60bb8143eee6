import { join } from 'node:path';
import { beginningOf } from '#lib';
import type { Agent, AgentSettings, StreamParser } from './agent.js';
import { classifyByExit } from './failures/classify.js';
import { eventStream } from './streams/event-stream.js';

/** In characters. The rest of a longer answer is only in transcript.raw.txt. */
const MAX_TEXT = 256 * 1024;

/** Reads output that is plain text. All of it becomes one message of the assistant. */
export function textStream(): StreamParser {
  const lines: string[] = [];
  let kept = 0;
  return {
    line(text) {
      if (kept < MAX_TEXT) lines.push(beginningOf(text, MAX_TEXT - kept));
      kept += text.length + 1;
      return [];
    },
    end() {
      const text = lines.join('\n').trim();
      return text === '' ? [] : [{ type: 'message', role: 'assistant', text }];
    },
    usagePending: () => false,
    readsText: true,
  };
}

/** Words that stand, in braces, for a value of the run in the arguments. */
export const PLACEHOLDERS = ['model', 'prompt_file', 'workspace'] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];

/** Replaces the placeholders in an argument. */
export const fill = (text: string, values: Readonly<Record<Placeholder, string>>): string =>
  text.replace(PATTERN, (_whole, name: Placeholder) => values[name]);
const PATTERN = new RegExp(`\\{(${PLACEHOLDERS.join('|')})\\}`, 'g');

/** An agent that the config defines: any program. The config says in which form its output is. */
export function commandAgent(name: string, settings: AgentSettings): Agent {
  const { command = name, prompt = 'arg' } = settings;
  return {
    name,
    program: command,
    free: settings.free ?? false,
    models: settings.models,
    provider: () => null,
    modelProblem: () => null,
    login: null,
    subject: 'only its own configuration says where it looks for them',
    mcpProblem: 'only its own configuration says how it connects to them',
    limitsTurns: false,
    version: settings.version_command === undefined ? null : ['sh', '-c', settings.version_command],
    launch(request) {
      // There is no separate channel for the text before the prompt.
      const question = [request.system, request.prompt].filter((text) => text !== null).join('\n\n');
      const promptFile = join(request.config, 'prompt.txt');
      const values = { model: request.model, prompt_file: promptFile, workspace: request.workspace };
      const args = settings.args.map((arg) => fill(arg, values));
      const named = settings.args.some((arg) => arg.includes('{prompt_file}'));
      const last = { arg: [question], stdin: [], file: named ? [] : [promptFile] }[prompt];
      return {
        argv: [command, ...args, ...last],
        env: { ...settings.env, LLM_TOOL_TEST_MODEL: request.model },
        stdin: prompt === 'stdin' ? question : '',
        files: prompt === 'file' ? [{ path: promptFile, content: question }] : [],
      };
    },
    resume: null,
    parser: settings.output === 'jsonl' ? eventStream : textStream,
    classify: classifyByExit,
  };
}
