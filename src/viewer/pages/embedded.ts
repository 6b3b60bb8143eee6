import type { EmbeddedReport } from '../protocol.js';

const data = document.getElementById('report')?.textContent ?? null;

/** The report that this page contains; null if it is the viewer, which asks a server. */
export const embedded: EmbeddedReport | null = data === null ? null : (JSON.parse(data) as EmbeddedReport);
