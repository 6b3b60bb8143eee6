import { stringify } from 'yaml';
import { z } from 'zod';
import type { Suite, SuiteCase } from './suite.js';

const FILES = '\n\nInput files:\n';
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
 * The scenarios of a suite. `skill`: the name of the skill under test; `path`: its folder, relative to the scenario files. A case
 * with statements or an expected output runs with and without the skill, and a model judges each statement.
 */
export const suiteScenarios = ({ cases }: Suite, skill: string, path: string): CaseScenario[] =>
  cases.map((of) => {
    const name = nameOf(skill, of.id);
    const isTask = of.expected !== undefined || of.assertions.length > 0;
    const gates = [
      ...(of.expected === undefined || of.expected.trim() === ''
        ? []
        : [{ type: 'llm_judge', name: EXPECTED, prompt: of.expected }]),
      ...of.assertions.map((prompt) => ({ type: 'llm_judge', prompt })),
      ...(of.shouldTrigger === undefined
        ? []
        : [{ type: of.shouldTrigger ? 'skill_used' : 'skill_not_used', skill }]),
      ...(of.tool === undefined ? [] : [{ type: 'tool_called', tool: escaped(of.tool) }]),
    ];
    const file = {
      name,
      description: `${JSON.stringify(of.id)}: ${firstLine(of.expected ?? of.prompt)}`,
      tags: [isTask ? 'evals' : 'prompts'],
      template_folder: name,
      subject: { skill: path },
      ...(isTask ? { baseline: true } : {}),
      task: {
        prompt:
          of.files.length === 0
            ? of.prompt
            : `${of.prompt}${FILES}${of.files.map((one) => `- ${one}`).join('\n')}`,
      },
      evaluation: { gates },
    };
    return { name, of, yaml: stringify(file, { lineWidth: 0 }) };
  });

const firstLine = (text: string): string => {
  const [line = ''] = text.trim().split(/\r?\n/);
  return Array.from(line).length > LIMIT ? `${Array.from(line).slice(0, LIMIT).join('')}…` : line;
};

/** `tool_called` takes a pattern. */
const escaped = (name: string): string => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** What the way back needs of an imported scenario file. */
const Imported = z.object({
  description: z.string(),
  task: z.object({ prompt: z.string() }),
  evaluation: z.object({
    gates: z.array(
      z.object({ type: z.string(), name: z.string().optional(), prompt: z.string().optional() }),
    ),
  }),
});

/** The case that an imported scenario was made of: its tasks and statements, as evals.json has them. */
export function caseOfScenario(file: unknown): SuiteCase {
  const { description, task, evaluation } = Imported.parse(file);
  const id = JSON.parse(/^(?:\d+|-\d+|"(?:[^"\\]|\\.)*")/.exec(description)?.[0] ?? 'null') as
    string | number;
  const at = task.prompt.lastIndexOf(FILES);
  const list = at === -1 ? [] : task.prompt.slice(at + FILES.length).split('\n');
  const isList = list.length > 0 && list.every((line) => line.startsWith('- '));
  const statements = evaluation.gates.filter(({ type }) => type === 'llm_judge');
  const expected = statements.find(({ name }) => name === EXPECTED)?.prompt;
  return {
    id,
    prompt: isList ? task.prompt.slice(0, at) : task.prompt,
    files: isList ? list.map((line) => line.slice(2)) : [],
    assertions: statements.flatMap(({ name, prompt }) => (name === EXPECTED ? [] : (prompt ?? []))),
    ...(expected === undefined ? {} : { expected }),
  };
}
