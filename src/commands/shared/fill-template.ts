import { readFileSync } from 'node:fs';
import { packageFile } from '#host';

/** Reads a file of `templates/` and replaces each `{{name}}` that has a value. */
export const fillTemplate = (path: string, values: Record<string, string>): string =>
  readFileSync(packageFile(`dist/templates/${path}`), 'utf8').replace(
    /\{\{(\w+)\}\}/g,
    (whole, name: string) => values[name] ?? whole,
  );
