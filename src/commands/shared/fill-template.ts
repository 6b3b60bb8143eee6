import { readFileSync } from 'node:fs';
import { packageFile } from '../../platform/package-info.js';

/** A file of `templates/`, with its `{{name}}` filled in. */
export const fillTemplate = (path: string, values: Record<string, string>): string =>
  readFileSync(packageFile(`templates/${path}`), 'utf8').replace(
    /\{\{(\w+)\}\}/g,
    (whole, name: string) => values[name] ?? whole,
  );
