import { jsonSchemaOf } from '#scenario';
import { printJson } from './shared/output.js';

/** Prints the JSON Schema of scenario files, or of the files that an option names. */
export function printSchema({ config, rubric, events }: Partial<Record<'config' | 'rubric' | 'events', true>>): number {
  printJson(jsonSchemaOf(config ? 'config' : rubric ? 'rubric' : events ? 'events' : 'scenario'));
  return 0;
}
