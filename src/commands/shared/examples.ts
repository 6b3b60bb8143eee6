import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { packageFile } from '#host';
import { UsageError } from '#lib';

/** An example of the package: a fixture, with all scenarios that use it. */
export interface Example {
  /** The name of its fixture. */
  name: string;
  description: string;
  /** Files and folders, relative to the folder of the examples. */
  paths: string[];
  /** The names of its scenarios. */
  scenarios: string[];
}

/** The folder of the examples. */
export const examplesFolder = (): string => packageFile('fixtures');

interface ExampleFile {
  name: string;
  description: string;
  template_folder: string;
  checks_folder?: string;
}

/** Finds the examples of the package. */
export function findExamples(): Example[] {
  const folder = examplesFolder();
  const found = new Map<string, Example>();
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .sort()) {
    const written = parse(readFileSync(join(folder, file), 'utf8')) as ExampleFile;
    const { name, description, template_folder: fixture, checks_folder: checks } = written;
    const example = found.get(fixture) ?? { name: fixture, description, paths: [fixture], scenarios: [] };
    const paths = [...example.paths, file, ...(checks === undefined ? [] : [checks])];
    found.set(fixture, { ...example, paths: [...new Set(paths)], scenarios: [...example.scenarios, name] });
  }
  return [...found.values()];
}

/** @throws UsageError if there is no such example */
export function findExample(name: string): Example {
  const examples = findExamples();
  const found = examples.find((example) => example.name === name);
  if (found !== undefined) return found;
  const names = examples.map((example) => example.name);
  throw new UsageError('usage', `there is no example '${name}'; the examples are ${names.join(', ')}`);
}
