import type { SweepFormat } from './sweep-report.js';

/** The JSON document that `show --json` prints. */
const json: SweepFormat = { render: ({ document }) => `${JSON.stringify(document, null, 2)}\n` };

/** Sweep reports, by the name of their format. They are loaded on demand, because `--help` lists all names. */
const formats = {
  md: async () => (await import('./md.js')).md,
  json: () => Promise.resolve(json),
  junit: async () => (await import('./junit.js')).junit,
  github: async () => (await import('./github.js')).github,
} satisfies Record<string, () => Promise<SweepFormat>>;

export type FormatName = keyof typeof formats;
export const formatNames = Object.keys(formats) as FormatName[];
export const loadFormat = (name: FormatName): Promise<SweepFormat> => formats[name]();
