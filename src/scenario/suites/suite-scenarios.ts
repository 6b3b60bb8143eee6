import { stringify } from 'yaml';
import { gateOf } from './statement.js';
import type { Suite, SuiteCase } from './suite.js';

const FILES = '\n\nInput files:\n';
/** Follows a prompt without files whose own end looks like a list of them, so that the case can be read back. */
const NO_FILES = '\n\nInput files: none';
const EXPECTED = 'expected output';
const LIMIT = 80;

/** A case as a scenario file. */
export interface CaseScenario {
  /** The name of the scenario, of its file without extension, and of its fixture. */
  name: string;
  of: SuiteCase;
  yaml: string;
}

/** The name of a case's scenario: the skill and the id, in letters, digits and hyphens. */
const nameOf = (skill: string, id: string | number): string =>
  `${skill}-${String(id)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')}`;

/**
 * The scenarios of a suite. `skill`: the name of the skill under test; `path`: its folder, relative to the scenario
 * files. A case with statements or an expected output runs with and without the skill, and a model judges each
 * statement.
 */
export const suiteScenarios = ({ cases }: Pick<Suite, 'cases'>, skill: string, path: string): CaseScenario[] =>
  cases.map((of) => {
    const name = nameOf(skill, of.id);
    const isTask = of.expected !== undefined || of.assertions.length > 0;
    const gates = [
      ...(of.expected === undefined ? [] : [{ type: 'llm_judge', name: EXPECTED, prompt: of.expected }]),
      ...of.assertions.map(checkOf),
      ...(of.shouldTrigger === undefined ? [] : [{ type: of.shouldTrigger ? 'skill_used' : 'skill_not_used', skill }]),
      ...(of.tool === undefined ? [] : [{ type: 'tool_called', tool: escaped(of.tool) }]),
    ];
    const file = {
      name,
      description: `${JSON.stringify(of.id)}: ${firstLine(of.expected ?? of.prompt)}`,
      tags: [isTask ? 'evals' : 'prompts'],
      template_folder: name,
      subject: { skill: path },
      ...(isTask ? { baseline: true } : {}),
      task: { prompt: withFiles(of) },
      evaluation: { gates },
    };
    return { name, of, yaml: stringify(file, { lineWidth: 0 }) };
  });

/** The gate of a statement: one that asks no model, where the statement allows it. */
function checkOf(prompt: string): object {
  const gate = gateOf(prompt);
  return gate === null ? { type: 'llm_judge', prompt } : { ...gate, name: prompt };
}

/** The prompt of the scenario, which names the input files. */
function withFiles({ prompt, files }: SuiteCase): string {
  if (files.length > 0) return `${prompt}${FILES}${files.map((one) => `- ${one}`).join('\n')}`;
  return withoutFiles(prompt).prompt === prompt ? prompt : `${prompt}${NO_FILES}`;
}

/** The way back from `withFiles`. */
export function withoutFiles(prompt: string): Pick<SuiteCase, 'prompt' | 'files'> {
  if (prompt.endsWith(NO_FILES)) return { prompt: prompt.slice(0, -NO_FILES.length), files: [] };
  const at = prompt.lastIndexOf(FILES);
  const list = at === -1 ? [] : prompt.slice(at + FILES.length).split('\n');
  return list.length > 0 && list.every((line) => line.startsWith('- '))
    ? { prompt: prompt.slice(0, at), files: list.map((line) => line.slice(2)) }
    : { prompt, files: [] };
}

const firstLine = (text: string): string => {
  const [line = ''] = text.trim().split(/\r?\n/);
  return Array.from(line).length > LIMIT ? `${Array.from(line).slice(0, LIMIT).join('')}…` : line;
};

/** `tool_called` takes a pattern. */
const escaped = (name: string): string => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
