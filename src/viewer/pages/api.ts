import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '#lib/pure';
import type { ChangedReview, EmbeddedReport, ErrorAnswer, EventsLine, ReviewAnswer, ShownEvent } from '../protocol.js';
import { answerFrom } from '../shared/answer-from.js';

const TOKEN = 'token';
const AGAIN_MS = 1500;
const REDRAW_MS = 100;
/** The more events there are, the longer it takes to draw a page again. */
const EVENTS_PER_MS = 20;

/** The failure of a request. `isFinal`: asking again would not help. */
class RequestError extends Error {
  readonly isFinal: boolean;
  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

/**
 * Takes the token from the address that `view` printed, and keeps it for this tab only. The address without it remains,
 * so that nobody copies it by accident.
 */
export function takeToken(): void {
  if (embedded !== null) return;
  const [, token, rest = '/'] = /^#token=([\w-]+)(\/.*)?$/.exec(location.hash) ?? [];
  if (token === undefined) return;
  sessionStorage.setItem(TOKEN, token);
  history.replaceState(null, '', `/#${rest}`);
}

/** The address of this page with the token, so that it opens in any tab of this machine. */
export const linkHere = (): string =>
  `${location.origin}/#token=${sessionStorage.getItem(TOKEN) ?? ''}${location.hash.slice(1)}`;

export const hasToken = (): boolean => embedded !== null || sessionStorage.getItem(TOKEN) !== null;

/** Asks the server, or the report in this file. @throws RequestError */
async function ask(path: string, init: RequestInit = {}, accepted?: number): Promise<Response> {
  if (embedded !== null) {
    const answer = answerFrom(embedded, path);
    if ('error' in answer) throw new RequestError(answer.error, true);
    return new Response(answer.lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${sessionStorage.getItem(TOKEN) ?? ''}`);
  const answer = await fetch(path, { ...init, headers }).catch(() => {
    throw new RequestError('The viewer does not answer. Is `llm-tool-test view` still running?', false);
  });
  if (answer.ok || answer.status === accepted) return answer;
  const { error } = (await answer.json().catch(() => ({ error: answer.statusText }))) as ErrorAnswer;
  throw new RequestError(error, answer.status < 500);
}

/** Gets a document. @throws RequestError */
export const get = async <T>(path: string): Promise<T> => (await (await ask(path)).json()) as T;

/** Gets the newest document of an address that answers with one whenever something has changed. @throws RequestError */
export async function firstOf<T>(path: string): Promise<T> {
  const gone = new AbortController();
  try {
    for await (const line of linesOf(path, gone.signal)) return JSON.parse(line) as T;
    throw new RequestError('The viewer has answered nothing.', false);
  } finally {
    gone.abort();
  }
}

/** Orders something. Returns the sweep that was started for it, if one was. @throws RequestError */
export const order = async (path: string): Promise<{ sweep?: string }> =>
  (await (await ask(path, { method: 'POST' })).json()) as { sweep?: string };

const CONFLICT = 409;

/**
 * Saves a review. If its file has changed meanwhile, nothing is saved, and the newer review is answered.
 * @throws RequestError
 */
export async function saveReview(
  path: string,
  review: Pick<ReviewAnswer, 'version' | 'fields'>,
): Promise<ChangedReview | null> {
  const headers = { 'content-type': 'application/json' };
  const answer = await ask(path, { method: 'PUT', body: JSON.stringify(review), headers }, CONFLICT);
  return answer.status === CONFLICT ? ((await answer.json()) as ChangedReview) : null;
}

/** Yields the lines of a streamed answer. @throws RequestError */
async function* linesOf(path: string, signal: AbortSignal): AsyncGenerator<string> {
  const { body } = await ask(path, { signal });
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new RequestError('The connection to the viewer is lost; trying again.', false);
    });
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Reads a stream until it ends, and again after each interruption. */
async function follow(
  path: string,
  signal: AbortSignal,
  on: { begin: () => void; line: (line: string) => void; problem: (text: string | null) => void },
): Promise<void> {
  const isGone = (): boolean => signal.aborted;
  while (!isGone()) {
    try {
      let isFirst = true;
      for await (const line of linesOf(path, signal)) {
        if (isGone()) return;
        if (isFirst) on.begin();
        isFirst = false;
        on.problem(null);
        on.line(line);
      }
      return;
    } catch (error) {
      if (isGone()) return;
      on.problem(messageOf(error));
      if (error instanceof RequestError && error.isFinal) return;
      await pause(AGAIN_MS);
    }
  }
}

export interface Loaded<T> {
  /** Null until there is one. */
  value: T | null;
  /** The reason why there is none, or why it may be old; null if all is well. */
  problem: string | null;
}

/** True if the tab is in front. A browser has few connections to a server, so other tabs must not hold any. */
function useIsSeen(): boolean {
  const [isSeen, setIsSeen] = useState(!document.hidden);
  useEffect(() => {
    const look = (): void => setIsSeen(!document.hidden);
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return isSeen;
}

/**
 * The newest document of an address that answers with one whenever something has changed. While another address is
 * asked, the document of the last one stays, if both are about the same thing.
 */
export function useWatched<T>(path: string, about = path): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T> & { about: string }>({ about, value: null, problem: null });
  const isSeen = useIsSeen();
  useEffect(() => {
    if (!isSeen) return;
    const gone = new AbortController();
    void follow(path, gone.signal, {
      begin: () => undefined,
      line: (line) => setLoaded({ about, value: JSON.parse(line) as T, problem: null }),
      problem: (problem) =>
        setLoaded((before) => ({ about, value: before.about === about ? before.value : null, problem })),
    });
    return () => gone.abort();
  }, [path, about, isSeen]);
  return loaded.about === about ? loaded : { value: null, problem: null };
}

/** A document that is read once, and again when `version` changes. */
export function useLoaded<T>(path: string, version: unknown = null): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T> & { path: string }>({ path, value: null, problem: null });
  useEffect(() => {
    let isGone = false;
    get<T>(path).then(
      (value) => {
        if (!isGone) setLoaded({ path, value, problem: null });
      },
      (error: unknown) => {
        if (!isGone) setLoaded({ path, value: null, problem: (error as Error).message });
      },
    );
    return () => {
      isGone = true;
    };
  }, [path, version]);
  return loaded.path === path ? loaded : { value: null, problem: null };
}

export interface Events {
  events: readonly ShownEvent[];
  problem: string | null;
  /** True if there will be no more. */
  isOver: boolean;
}

/** The events of a run, as they happen. */
export function useEvents(run: string): Events {
  const [state, setState] = useState<Events>({ events: [], problem: null, isOver: false });
  useEffect(() => {
    const gone = new AbortController();
    let events: ShownEvent[] = [];
    let redraw: ReturnType<typeof setTimeout> | undefined;
    const show = (more: Partial<Events>): void => {
      clearTimeout(redraw);
      redraw = undefined;
      setState((before) => ({ ...before, ...more, events: [...events] }));
    };
    setState({ events, problem: null, isOver: false });
    void follow(`/api/runs/${encodeURIComponent(run)}/events`, gone.signal, {
      begin: () => {
        events = [];
        show({ problem: null });
      },
      line: (text) => {
        const line = JSON.parse(text) as EventsLine;
        if ('again' in line) events = [];
        else if ('events' in line) {
          const isFirst = events.length === 0;
          events.push(...line.events);
          // A long transcript has hundreds of lines, and each would draw the whole page again.
          if (isFirst) show({});
          else redraw ??= setTimeout(() => show({}), REDRAW_MS + events.length / EVENTS_PER_MS);
        } else show({ problem: line.problem });
      },
      problem: (problem) => {
        if (problem !== null) show({ problem });
      },
    }).then(() => {
      if (!gone.signal.aborted) show({ isOver: true });
    });
    return () => {
      gone.abort();
      clearTimeout(redraw);
    };
  }, [run]);
  return state;
}

const data = document.getElementById('report')?.textContent ?? null;

/** The report that this page contains; null if it is the viewer, which asks a server. */
export const embedded: EmbeddedReport | null = data === null ? null : (JSON.parse(data) as EmbeddedReport);
