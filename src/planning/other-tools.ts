import { readdirSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { displayPath, ownCommand } from '#host';
import { isFile, readText } from './file-checks.js';

/** Another tool whose files are no scenarios, and what to do with them. */
interface OtherTool {
  /** The tool, or the kind of its files. */
  name: string;
  /** Recognizes a file by its name, and by its text if the name could be anything. */
  owns(name: string, text: () => string): boolean;
  remedy(path: string): string;
}

const importIt = (path: string): string => `import it with ${ownCommand(`import ${path}`)}`;
const asTests = (): string => 'scenarios can be among these tests: see specs/how-to/vitest.md';

/** The tools whose files are known. To add one, add it here. */
const TOOLS: readonly OtherTool[] = [
  {
    name: 'a config of promptfoo',
    owns: (name, text) =>
      /^promptfooconfig\b.*\.(ya?ml|json)$/.test(name) ||
      (/\.ya?ml$/.test(name) && /^providers:/m.test(text()) && /^(prompts|tests):/m.test(text())),
    remedy: importIt,
  },
  { name: 'evals of a skill', owns: (name) => name === 'evals.json', remedy: importIt },
  {
    name: 'a log of Inspect',
    owns: (name) => name.endsWith('.eval'),
    remedy: (path) =>
      `import its results with ${ownCommand(`import ${path}`)}; its tasks are programs, so write scenarios for them`,
  },
  {
    name: 'a task of Inspect',
    owns: (name, text) => name.endsWith('.py') && /^\s*(from|import) inspect_ai\b/m.test(text()),
    remedy: () => 'write a scenario with its prompt, and a gate of type script for its scorer',
  },
  {
    name: 'a task of Harbor',
    owns: (name) => name === 'task.toml',
    remedy: (path) => `name its folder: ${ownCommand(`run ${path.replace(/\/?task\.toml$/, '') || '.'}`)}`,
  },
  {
    name: 'a test of pytest',
    owns: (name) => /^(test_.*|.*_test|conftest)\.py$/.test(name),
    remedy: () => 'a gate of type script can run it',
  },
  { name: 'a test of JavaScript', owns: (name) => /\.(test|spec)\.[cm]?[jt]sx?$/.test(name), remedy: asTests },
];

/** A larger file is none that a person wrote. */
const MAX_CHARACTERS = 1_000_000;

/** The other tool that a file is of; undefined if this is not known. */
function otherToolOf(path: string): OtherTool | undefined {
  const name = basename(path);
  let read: string | null = null;
  const text = (): string => (read ??= (readText(path) ?? '').slice(0, MAX_CHARACTERS));
  return TOOLS.find((one) => one.owns(name, text));
}

/** Says what the first file of each other tool in a folder is, without those below it, and what to do with it. */
export function otherToolsIn(folder: string): string[] {
  const found = new Map<OtherTool, string>();
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const shown = displayPath(path);
    const tool = extname(name) !== '' && isFile(path) ? otherToolOf(path) : undefined;
    if (tool !== undefined && !found.has(tool)) found.set(tool, `${shown} is ${tool.name}; ${tool.remedy(shown)}`);
  }
  return [...found.values()];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
