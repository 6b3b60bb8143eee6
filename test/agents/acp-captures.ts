import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('./captures/acp/', import.meta.url);

/** A message between a client and an agent, as it was recorded. */
interface Recorded {
  start: number;
  dir: 'c>a' | 'a>c';
  msg: {
    id?: number;
    method?: string;
    params?: Record<string, unknown>;
    result?: { sessionId?: string };
    error?: object;
  };
}

/** The facts about a recorded conversation, of which the agent said only a part. */
export interface Truth {
  agent: string;
  case: string;
  stop: { error?: string; code?: number; usage?: Record<string, number> | null } | null;
  truth: { commands_scripted: string[]; exit_codes: number[] | null };
  model_server: { main: number };
}

/** Names of the recorded conversations, such as `copilot-ok`. */
export const acpCaptures = readdirSync(folder)
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => name.replace(/\.jsonl$/, ''));

export const truthOf = (name: string): Truth =>
  JSON.parse(readFileSync(new URL(`${name}.meta.json`, folder), 'utf8')) as Truth;

/** The lines that acp-program would have printed in each start of a recorded conversation. */
export function acpLinesOf(name: string): string[][] {
  const recorded = readFileSync(new URL(`${name}.jsonl`, folder), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recorded);
  const starts = [...new Set(recorded.map(({ start }) => start))];
  return starts.map((number) => printed(recorded.filter(({ start }) => start === number)));
}

function printed(messages: readonly Recorded[]): string[] {
  const asked = new Map<number, Recorded['msg']>();
  const lines: object[] = [];
  for (const { dir, msg } of messages) {
    const { id, method } = msg;
    const isAnswer = dir === 'a>c' && method === undefined;
    if (dir === 'c>a' && id !== undefined) asked.set(id, msg);
    if (dir === 'a>c') lines.push(msg);
    else if (method === 'session/prompt') lines.push({ acp: 'prompt', id });
    const request = isAnswer ? asked.get(id ?? -1) : undefined;
    if (request?.method === undefined || !/^session\/(?:new|load|resume)$/.test(request.method)) continue;
    const { params, method: step } = request;
    if (msg.result !== undefined)
      lines.push({ acp: 'session', id: msg.result.sessionId ?? params?.['sessionId'], model: null });
    // The program of ACP does not go on after a refusal
    else
      return [
        ...lines,
        { acp: 'answer', step: step === 'session/new' ? step : 'session not found', error: msg.error },
      ].map((line) => JSON.stringify(line));
  }
  return lines.map((line) => JSON.stringify(line));
}
