import type { SweepFormat } from './sweep-report.js';

/** Reports of a sweep, by the name of their format. Loaded when needed: `--help` names them all. */
const formats = {
  md: async () => (await import('./md.js')).md,
  html: async () => (await import('./html.js')).html,
  json: async () => (await import('./json.js')).json,
  junit: async () => (await import('./junit.js')).junit,
  github: async () => (await import('./github.js')).github,
} satisfies Record<string, () => Promise<SweepFormat>>;

export type FormatName = keyof typeof formats;
export const formatNames = Object.keys(formats) as FormatName[];
export const loadFormat = (name: FormatName): Promise<SweepFormat> => formats[name]();
