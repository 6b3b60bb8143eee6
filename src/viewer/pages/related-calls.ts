import type { GateDetail } from '#model';
import { hasFailed, type Call } from './conversation.js';

/** A call that has to do with what a gate found. */
export interface Related {
  call: Call;
  why: string;
}

/** More would be no hint. */
const MOST = 3;
/** Shorter commands occur in messages by chance. */
const SHORTEST = 5;

/**
 * Finds the calls that may have caused what a gate found: those that its message quotes; else, of a gate that checks a file, the
 * last ones that name the file; else, of one that asks for no errors, those that failed. None if nothing is known.
 */
export function relatedCalls(gate: GateDetail, calls: readonly Call[]): Related[] {
  const found = `${gate.message}\n${gate.detail === null ? '' : JSON.stringify(gate.detail)}`;
  const quoted = calls.filter(
    ({ command }) => command !== null && command.length >= SHORTEST && found.includes(command.trim()),
  );
  if (quoted.length > 0) return few(quoted, 'named by the gate');
  if (gate.gate_type.startsWith('file_') && gate.subject !== '') {
    const naming = calls.filter(({ command, event }) =>
      (command ?? JSON.stringify(event.input)).includes(gate.subject),
    );
    if (naming.length > 0) return few(naming.slice(-1), `the last call that names ${gate.subject}`);
  }
  if (gate.gate_type === 'mcp_no_errors')
    return few(
      calls.filter(({ mcp }) => mcp?.is_error === true),
      'it failed',
    );
  return gate.gate_type === 'no_transcript_errors' ? few(calls.filter(hasFailed), 'it failed') : [];
}

const few = (calls: readonly Call[], why: string): Related[] =>
  calls.slice(0, MOST).map((call) => ({ call, why }));
