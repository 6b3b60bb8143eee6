import type { SweepFormat } from './sweep-report.js';

/** The document of `show --json`. */
export const json: SweepFormat = { render: ({ document }) => `${JSON.stringify(document, null, 2)}\n` };
