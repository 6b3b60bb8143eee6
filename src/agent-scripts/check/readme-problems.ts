import { parseJson, type CommandResult } from '#lib';
import { CODE, answerIn, readScriptAnswer } from '../answer.js';
import { parseDenoCommand, permissionsOf, placeholderIn, type DenoCommand } from '../deno-command.js';
import {
  commandsIn,
  isCommands,
  SECTIONS,
  sectionNamed,
  type Readme,
  type SectionName,
  type Example,
  type Block,
} from '../readme.js';
import type { ScriptPaths } from '../script-name.js';

/** A problem in a README. */
interface ReadmeProblem {
  line: number;
  message: string;
}

/** Checks that a README has what agents need: all sections, with the expected content. */
export function readmeProblems(readme: Readme, paths: ScriptPaths): ReadmeProblem[] {
  return [
    ...structure(readme),
    ...heading(readme, paths),
    ...summary(readme),
    ...usage(readme, paths),
    ...argumentTable(readme),
    ...output(readme),
    ...codes(readme),
    ...examples(readme, paths),
  ].sort((a, b) => a.line - b.line);
}

const blocksOf = ({ sections }: Readme, name: SectionName): Block[] => sectionNamed(sections, name)?.blocks ?? [];
/** The line of a section. 1 if it is missing, which is reported separately. */
const lineOf = ({ sections }: Readme, name: SectionName): number => sectionNamed(sections, name)?.line ?? 1;
const has = ({ sections }: Readme, name: SectionName): boolean => sectionNamed(sections, name) !== undefined;

function structure({ sections }: Readme): ReadmeProblem[] {
  const named = sections.filter(({ level }) => level === 2);
  const present = SECTIONS.filter((name) => named.some(({ title }) => title === name));
  const order = named.filter(({ title }) => SECTIONS.some((name) => name === title));
  const twice = order.filter(({ title }, at) => order.findIndex((other) => other.title === title) < at);
  const firsts = order.filter((section) => !twice.includes(section));
  const misplaced = firsts.find(({ title }, at) => title !== present[at]);
  return [
    ...(sections[0]?.level === 1 ? [] : [{ line: 1, message: 'expected `# <name>` at the top' }]),
    ...SECTIONS.filter((name) => !present.includes(name)).map((name) => ({
      line: 1,
      message: `there is no section \`## ${name}\``,
    })),
    ...twice.map(({ line, title }) => ({ line, message: `there are two sections \`## ${title}\`` })),
    ...(misplaced === undefined
      ? []
      : [{ line: misplaced.line, message: `expected the sections in this order: ${SECTIONS.join(', ')}` }]),
  ];
}

/** The heading must be the name of the script's folder, which is the name that agents know. */
function heading({ sections: [top] }: Readme, { name }: ScriptPaths): ReadmeProblem[] {
  const own = name.split('/').at(-1) ?? name;
  if (top?.level !== 1 || top.title === own || top.title === name) return [];
  return [{ line: top.line, message: `expected \`# ${own}\`, the name of the script's folder` }];
}

function summary(readme: Readme): ReadmeProblem[] {
  if (!has(readme, 'Summary')) return [];
  const blocks = blocksOf(readme, 'Summary');
  const [only] = blocks;
  const ok = blocks.length === 1 && only?.kind === 'text' && !only.text.includes('\n');
  return ok ? [] : [{ line: lineOf(readme, 'Summary'), message: 'expected one line that says what the script is for' }];
}

function usage(readme: Readme, paths: ScriptPaths): ReadmeProblem[] {
  if (!has(readme, 'Usage')) return [];
  const commands = blocksOf(readme, 'Usage').filter(isCommands).flatMap(commandsIn);
  const [only] = commands;
  if (commands.length !== 1 || only === undefined)
    return [{ line: lineOf(readme, 'Usage'), message: 'expected a code block with exactly one command' }];
  const command = parseDenoCommand(only.value);
  return (typeof command === 'string' ? [command] : commandFaults(command, paths)).map((message) => ({
    line: only.line,
    message,
  }));
}

function commandFaults({ flags, program }: DenoCommand, { source }: ScriptPaths): string[] {
  return [
    ...(program.replace(/^\.\//, '') === source
      ? []
      : [`runs ${program}; expected ${source}, from the project's root`]),
    ...(permissionsOf(flags).has('all') ? ['allows everything; list the permissions that the script needs'] : []),
  ];
}

function argumentTable(readme: Readme): ReadmeProblem[] {
  if (!has(readme, 'Arguments')) return [];
  const blocks = blocksOf(readme, 'Arguments');
  const table = blocks.find((block) => block.kind === 'table');
  const none = blocks.some((block) => block.kind === 'text' && /^none\b/i.test(block.text));
  if (table === undefined)
    return none
      ? []
      : [
          {
            line: lineOf(readme, 'Arguments'),
            message: 'expected a table Name | Required | Description, or "None."',
          },
        ];
  const header = table.header.join(' | ');
  return [
    ...(header === 'Name | Required | Description'
      ? []
      : [{ line: table.line, message: `expected the columns Name | Required | Description; got ${header}` }]),
    ...table.rows
      .filter(({ cells }) => !/^(yes|no)$/.test(cells[1] ?? ''))
      .map(({ line }) => ({ line, message: 'expected yes or no as Required' })),
    ...table.rows
      .filter(({ cells }) => (cells[2] ?? '') === '')
      .map(({ line }) => ({ line, message: 'the argument has no description' })),
  ];
}

function output(readme: Readme): ReadmeProblem[] {
  if (!has(readme, 'Output')) return [];
  const block = blocksOf(readme, 'Output').find(
    (each): each is Extract<Block, { kind: 'code' }> => each.kind === 'code' && each.language === 'json',
  );
  if (block === undefined)
    return [{ line: lineOf(readme, 'Output'), message: 'expected a ```json block with an answer' }];
  const answer = answerIn(parseJson(block.code));
  if (typeof answer === 'string') return [{ line: block.line, message: answer }];
  return answer.success ? [] : [{ line: block.line, message: 'expected an answer with success; errors have a table' }];
}

function codes(readme: Readme): ReadmeProblem[] {
  if (!has(readme, 'Error Codes')) return [];
  const table = blocksOf(readme, 'Error Codes').find((block) => block.kind === 'table');
  if (table === undefined)
    return [{ line: lineOf(readme, 'Error Codes'), message: 'expected a table Code | Description' }];
  const seen = new Set<string>();
  const header = table.header.join(' | ');
  return [
    ...(header === 'Code | Description'
      ? []
      : [{ line: table.line, message: `expected the columns Code | Description; got ${header}` }]),
    ...readme.codes.flatMap(({ line, value }) => {
      if (!CODE.test(value)) return [{ line, message: `"${value}" is not a code; expected one like FILE_NOT_FOUND` }];
      if (seen.has(value)) return [{ line, message: `${value} is listed twice` }];
      seen.add(value);
      return [];
    }),
    ...table.rows
      .filter(({ cells }) => (cells[1] ?? '') === '')
      .map(({ line, cells }) => ({ line, message: `${cells[0] ?? ''} has no description` })),
  ];
}

function examples(readme: Readme, paths: ScriptPaths): ReadmeProblem[] {
  if (!has(readme, 'Examples')) return [];
  if (readme.examples.length === 0)
    return [{ line: lineOf(readme, 'Examples'), message: 'expected a ```bash block with a command that runs' }];
  const usual = parseDenoCommand(readme.usage?.value ?? '');
  return readme.examples.flatMap(({ line, command: text, output: shown }): ReadmeProblem[] => {
    const command = parseDenoCommand(text);
    const faults =
      typeof command === 'string' ? [command] : [...commandFaults(command, paths), ...exampleFaults(command, usual)];
    const answer = shown === null ? null : answerIn(parseJson(shown.value));
    return [
      ...faults.map((message) => ({ line, message })),
      ...(shown !== null && typeof answer === 'string' ? [{ line: shown.line, message: answer }] : []),
    ];
  });
}

function exampleFaults(command: DenoCommand, usual: DenoCommand | string): string[] {
  const placeholder = placeholderIn(command);
  const same = typeof usual === 'string' || command.flags.join(' ') === usual.flags.join(' ');
  return [
    ...(placeholder === undefined ? [] : [`${placeholder} is a placeholder; expected a command that runs`]),
    ...(same ? [] : ['its flags differ from those in Usage']),
  ];
}

/** The answer that the README shows for an example. Success if it shows none. */
const shown = ({ output }: Example): { success: boolean; code: string | null } => {
  const answer = output === null ? null : answerIn(parseJson(output.value));
  if (answer === null || typeof answer === 'string' || answer.success) return { success: true, code: null };
  return { success: false, code: answer.code };
};

/**
 * Returns how the output of an example differs from the contract or from what the README shows. Null if it does not.
 */
export function exampleProblem(
  readme: Readme,
  example: Example,
  result: CommandResult,
  timeoutSecs: number,
): string | null {
  const read = readScriptAnswer(result, timeoutSecs);
  if (!read.ok) return read.problem;
  const { answer } = read;
  const expected = shown(example);
  if (answer.success) return expected.success ? null : `succeeded; the README shows ${expected.code ?? 'an error'}`;
  if (expected.success) return `answered ${answer.code}: ${answer.error}`;
  if (answer.code !== expected.code) return `answered ${answer.code}; the README shows ${expected.code ?? ''}`;
  const documented = readme.codes.some(({ value }) => value === answer.code);
  return documented ? null : `answered ${answer.code}, which is not in the table Error Codes`;
}
