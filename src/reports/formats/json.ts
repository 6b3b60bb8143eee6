import type { SweepFormat } from './sweep-report.js';

/** The JSON document that `show --json` prints. */
export const json: SweepFormat = { render: ({ document }) => `${JSON.stringify(document, null, 2)}\n` };
