import { type Json, shellWord } from '#lib';
import type { EventBody } from '#model';
import type { AcpReading } from './acp-reading.js';
import { wholeNumberOf, fieldsOf, type Fields, listOf, stringOf } from './json-fields.js';
import { lostEvent } from './stream-events.js';

/** A call, as far as its updates tell. */
export interface AcpCall {
  id: string;
  /** Unique in the session, also if the agent counts its calls from the beginning in each start. */
  eventId: string;
  /** The name of its tool, if it has one. */
  name: string | null;
  /** The first title, and the last one: in between, it may turn from the name of a tool to the command. */
  titles: [first: string, last: string];
  kind: string | null;
  input: Fields;
  content: Json[];
  /** Pieces of the output, from an agent that prints them instead of the whole. */
  pieces: string;
  /** Claude's report about a command, which may still run, or have a status with a meaning of its own. */
  report: Fields;
  isShown: boolean;
}

/** Titles that name a shell rather than the command in it. */
const SHELL = /^(?:(?:ba|z|da)?sh|shell|terminal|exec(?:ute)?(?:_command)?|run_\w+)$/i;

export const newCall = (id: string, start: number): AcpCall => ({
  id,
  eventId: start > 1 ? `${id}.${start}` : id,
  name: null,
  titles: ['', ''],
  kind: null,
  input: {},
  content: [],
  pieces: '',
  report: {},
  isShown: false,
});

/** Adds an update. `isApart`: it is a question with a title of its own. */
export function addTo(call: AcpCall, update: Fields, isApart: boolean): void {
  const meta = fieldsOf(update['_meta']);
  const claude = fieldsOf(meta['claudeCode']);
  const [title, input] = [stringOf(update['title']), fieldsOf(update['rawInput'])];
  call.name ??=
    stringOf(update['name']) ??
    stringOf(claude['toolName']) ??
    stringOf(meta['toolName']) ??
    stringOf(meta['tool_name']);
  if (title !== null && !isApart) call.titles = [call.titles[0] === '' ? title : call.titles[0], title];
  call.kind = stringOf(update['kind']) ?? call.kind;
  if (Object.keys(input).length > 0) call.input = input;
  if ('content' in update) call.content = listOf(update['content']);
  if ('toolResponse' in claude) call.report = fieldsOf(claude['toolResponse']);
  call.pieces += stringOf(fieldsOf(meta['terminal_output_delta'])['data']) ?? '';
}

/** The events of a call. `isComplete`: nothing more will be said of what it is. */
export function callEvents(call: AcpCall, isComplete: boolean): EventBody[] {
  const [command, name] = [commandOf(call, isComplete), nameOf(call)];
  const event: EventBody = { type: 'tool_call', id: call.eventId, name, input: inputOf(call), command };
  const isUnannounced = call.kind === null && call.name === null && call.titles[1] === '';
  // Codex takes some commands for reading, and then shows only what they read.
  const isShell = call.kind === 'execute' || SHELL.test(name);
  const isHidden = command === null && Object.keys(call.input).every((field) => field === 'cwd');
  return isHidden && (isShell || isUnannounced) ? [event, lostEvent('a command that is not shown', 'call')] : [event];
}

/** The text of parts of a message or result. */
const textIn = (parts: readonly Json[]): string =>
  parts
    .map((part) => fieldsOf(fieldsOf(part)['content']))
    .flatMap(({ text, resource }) => stringOf(text) ?? stringOf(fieldsOf(resource)['text']) ?? [])
    .join('\n');

/**
 * The command of a call of a shell. Some agents have it only in the title, which before may be the name of the tool, so
 * that `isComplete` says whether to look there.
 */
export function commandOf({ kind, input, content, titles: [, title] }: AcpCall, isComplete: boolean): string | null {
  if (kind !== 'execute') return null;
  const given = input['command'] ?? input['cmd'];
  if (typeof given === 'string') return given;
  if (Array.isArray(given)) {
    const words = given.flatMap((word) => stringOf(word) ?? []);
    return /^-l?c$/.test(words.at(-2) ?? '') ? (words.at(-1) ?? null) : words.map(shellWord).join(' ');
  }
  const shown = /^\$ ([^]+)$/.exec(textIn(content))?.[1];
  if (shown !== undefined) return shown;
  return isComplete && Object.keys(input).length === 0 && title !== '' && !SHELL.test(title) ? title : null;
}

/** The name of a call's tool; if nothing says it, the kind of tool. Some titles are descriptions by the model. */
function nameOf({ id, name, titles: [title], kind, input }: AcpCall): string {
  const isWord = kind === 'execute' ? SHELL.test(title) : /^[\w.-]+$/.test(title) && title !== input['description'];
  const inId = /^([a-z]\w*?)__/i.exec(id)?.[1];
  return name ?? inId ?? (isWord ? title : /^([\w.-]+): /.exec(title)?.[1]) ?? kind ?? 'tool';
}

/** The arguments of a call, or else the files that it writes. */
export function inputOf({ input, content }: AcpCall): Fields {
  if (Object.keys(input).length > 0) return input;
  const [first, ...others] = content.flatMap((part) => {
    const { type, path, newText } = fieldsOf(part);
    return type === 'diff' ? [{ path: path ?? null, newText: newText ?? null }] : [];
  });
  return first === undefined ? {} : others.length === 0 ? first : { files: [first, ...others] };
}

/** The result of a call, in its last update. */
export function resultOf(call: AcpCall, update: Fields, { exit, everyExit }: AcpReading): EventBody {
  const raw = update['rawOutput'];
  const { output, text, content, stdout, metadata, exitCode, exit_code: status, contents, truncated } = fieldsOf(raw);
  const printed = [...[raw, output, text, content, stdout].map(stringOf), call.pieces, textIn(call.content)];
  const shown = printed.find((one) => one !== null && one !== '') ?? '';
  const codes = [
    ...[
      exitCode,
      status,
      fieldsOf(metadata)['exit'],
      fieldsOf(fieldsOf(update['_meta'])['terminal_exit'])['exit_code'],
    ],
    ...listOf(contents).map((part) => fieldsOf(part)['exitCode']),
  ];
  const isSuccess = update['status'] === 'completed';
  const stated = (isSuccess ? everyExit : (exit ?? everyExit))?.exec(shown)?.[1];
  const { backgroundTaskId, returnCodeInterpretation, interrupted } = call.report;
  const isOpen =
    stringOf(backgroundTaskId) !== null || stringOf(returnCodeInterpretation) !== null || interrupted === true;
  const assumed = exit !== undefined && isSuccess && !isOpen && call.kind === 'execute' ? 0 : null;
  const code = codes.flatMap((one) => wholeNumberOf(one) ?? [])[0] ?? (stated === undefined ? assumed : Number(stated));
  return {
    type: 'tool_result',
    id: call.eventId,
    exit_code: code,
    is_error: !isSuccess || (code !== null && code !== 0),
    output: shown,
    truncated: truncated === true || fieldsOf(metadata)['truncated'] === true,
  };
}
