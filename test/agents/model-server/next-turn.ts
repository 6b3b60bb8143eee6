import type { Conversation, Tool, Turn } from './protocol.js';
import { NO_USAGE_GIVEN, usageOfRequest, type Fault, type Script } from './script.js';

/** The input of each agent's shell tool for a command. */
const SHELLS: Record<string, (command: string) => Record<string, unknown>> = {
  Bash: (command) => ({ command }),
  bash: (command) => ({ command }),
  run_shell_command: (command) => ({ command }),
  shell_command: (command) => ({ command }),
  terminal: (command) => ({ command }),
  exec_command: (cmd) => ({ cmd }),
  shell: (command) => ({ command: ['sh', '-c', command] }),
};

const shellOf = (tools: Tool[]): Tool | undefined => tools.find(({ name }) => name in SHELLS);

/** The input of the tools by which agents use a skill. */
const SKILL_TOOLS: Record<string, (name: string) => Record<string, unknown>> = {
  Skill: (skill) => ({ skill }),
  skill: (name) => ({ name }),
  activate_skill: (name) => ({ name }),
};

/**
 * The call that uses a skill: of a tool for it, else of one that reads its SKILL.md, whose path the client has told.
 */
function skillTool(
  name: string,
  { tools, system, prompts }: Conversation,
): { name: string; input: Record<string, unknown> } {
  const tool = tools.find((one) => one.name in SKILL_TOOLS)?.name ?? '';
  const input = SKILL_TOOLS[tool]?.(name);
  if (input !== undefined) return { name: tool, input };
  const told = [system, ...prompts].join('\n');
  const short = new RegExp(`[^\\s"'<>()\`]*/${name}/SKILL\\.md`).exec(told)?.[0];
  if (short === undefined) throw new Error(`the client has told nothing of the skill ${name}`);
  // Codex shortens the folders of skills: - `r0` = `/home/user/.codex/skills`
  const path = short.replace(/^r\d+/, (alias) => new RegExp(`\`${alias}\` = \`(.*?)\``).exec(told)?.[1] ?? alias);
  if (tools.some((one) => one.name === 'read')) return { name: 'read', input: { path } };
  const shell = shellOf(tools);
  const call = shell && SHELLS[shell.name]?.(`cat ${path}`);
  if (shell === undefined || call === undefined) throw new Error('a skill can only be read with a shell');
  return { name: shell.name, input: call };
}

/** True if a request belongs to the task. Requests for titles and summaries do not: they offer no shell tool. */
export function isTask(script: Script, { tools }: Conversation): boolean {
  return shellOf(tools) !== undefined || !script.steps.some((step) => 'run' in step);
}

/** The index of the first script for this conversation; -1 if there is none. */
export function scriptFor(scripts: Script[], { system, prompts }: Conversation): number {
  const texts = [system, ...prompts].join('\n');
  return scripts.findIndex(({ when }) => when === undefined || texts.includes(when));
}

/**
 * The next turn of the script. The number of tool results gives the position in the task, so repeated requests and
 * resumed sessions continue at the right place. `body`: the request as it was sent.
 */
export function nextTurn(script: Script, conversation: Conversation, id: string, body: string): Turn {
  const { model, tools, toolResults } = conversation;
  const usage = script.counts_input ? usageOfRequest(body) : NO_USAGE_GIVEN;
  const base = { id, model, reasoning: null, text: null, call: null, usage, stop: null };
  if (!isTask(script, conversation)) return { ...base, text: script.aside };
  const step = script.steps[Math.min(toolResults, script.steps.length - 1)];
  if (step === undefined) throw new Error('a script has at least one step');
  const known = { ...base, reasoning: step.reasoning ?? null, usage: step.usage ?? usage };
  if ('say' in step) return { ...known, text: step.say, stop: step.stop ?? null };
  if ('tool' in step) {
    const tool = step.offered
      ? tools.find((one) => wholeName(one).endsWith(step.tool))
      : { name: step.tool, fields: [] };
    return tool === undefined
      ? { ...known, text: `There is no tool ${step.tool}.` }
      : { ...known, text: step.text ?? null, call: { id: `call_${id}`, ...nameOf(tool), input: step.input } };
  }
  const shell = shellOf(tools);
  if ('skill' in step) {
    const how = skillTool(step.skill, conversation);
    return { ...known, call: { id: `call_${id}`, ...how } };
  }
  const input = shell && SHELLS[shell.name]?.(step.run);
  if (shell === undefined || input === undefined) throw new Error('a task offers a shell');
  const description = shell.fields.includes('description') ? { description: 'Runs the next command' } : {};
  const call = { id: `call_${id}`, name: shell.name, input: { ...input, ...description } };
  return { ...known, text: step.text ?? null, call };
}

/** Some agents give the server of a tool apart from its name. */
const wholeName = ({ name, namespace }: Tool): string =>
  namespace === undefined ? name : `${namespace.replace(/_+$/, '')}__${name}`;
const nameOf = ({ name, namespace }: Tool) => ({ name, ...(namespace === undefined ? {} : { namespace }) });

/** The first fault that is due at this request; `used` counts how often each has happened. */
export function faultFor(
  { faults }: Script,
  request: number,
  step: number,
  used: ReadonlyMap<Fault, number>,
): Fault | null {
  const due = (fault: Fault): boolean =>
    (fault.request ?? request) === request &&
    (fault.step ?? step) === step &&
    (used.get(fault) ?? 0) < (fault.times ?? Infinity);
  return faults.find(due) ?? null;
}
