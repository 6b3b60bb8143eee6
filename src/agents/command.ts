import { join } from 'node:path';
import type { Agent } from './agent.js';
import { classifyByExit } from './classify.js';
import { eventStream, textStream } from './streams.js';

/** An agent of the config file: any command. Values of `env` are resolved by then. */
export interface CommandSettings {
  command: string;
  args: string[];
  prompt: 'arg' | 'stdin' | 'file';
  output: 'text' | 'jsonl';
  models: string[];
  version_command?: string | undefined;
  free: boolean;
  env: Record<string, string>;
}

/** `{model}`, `{prompt_file}` and `{workspace}` in arguments stand for the run's values. */
const fill = (text: string, values: Record<string, string>): string =>
  text.replace(/\{(model|prompt_file|workspace)\}/g, (whole, name: string) => values[name] ?? whole);

export function commandAgent(name: string, settings: CommandSettings): Agent {
  return {
    name,
    free: settings.free,
    models: settings.models,
    env: [],
    version: settings.version_command === undefined ? null : ['sh', '-c', settings.version_command],
    launch(request) {
      const promptFile = join(request.config, 'prompt.txt');
      const values = { model: request.model, prompt_file: promptFile, workspace: request.workspace };
      const args = settings.args.map((arg) => fill(arg, values));
      const named = settings.args.some((arg) => arg.includes('{prompt_file}'));
      const last = { arg: [request.prompt], stdin: [], file: named ? [] : [promptFile] }[settings.prompt];
      return {
        argv: [settings.command, ...args, ...last],
        env: { ...settings.env, LLM_TOOL_TEST_MODEL: request.model },
        stdin: settings.prompt === 'stdin' ? request.prompt : '',
        files: settings.prompt === 'file' ? [{ path: promptFile, content: request.prompt }] : [],
      };
    },
    resume: null,
    parser: settings.output === 'jsonl' ? eventStream : textStream,
    classify: classifyByExit,
  };
}
