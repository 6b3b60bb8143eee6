import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { RetryChoice } from '#client';
import { scenarioTrends } from '#decide';
import { formatBytes, InfrastructureError, parseJson, UsageError } from '#lib';
import { resultsIndex } from '#store';
import type { ChangedReview, ErrorAnswer, ReviewAnswer, TrendsAnswer } from '../protocol.js';
import { regradeFromPage, regradePreview, retryFromPage, retryPreview, steer } from './steer.js';
import { changesOf } from './changes.js';
import { comparisonFor, forecastFor } from './compare.js';
import type { EngineView } from './engine.js';
import { eventsOf, matchesIn, wholeEvent } from './events.js';
import { refusalOf } from './guard.js';
import { findRun, answerForRun, reviewOf, storeReview } from './runs.js';
import { schedulesOf } from './schedules.js';
import { ndjson } from './stream.js';
import { USUAL_RUNS } from '../shared/answer-from.js';
import { selectionIn } from '../shared/selection.js';
import { sweepReader } from './sweep-reader.js';
import { sweepLists, sweepStates } from './sweeps.js';

export interface ViewerSettings {
  resultsPath: string;
  engine: EngineView;
  /** The variables of `--env-file`, as it is now. @throws UsageError if it cannot be read */
  variables: () => NodeJS.Dict<string>;
  /** See `refusalOf`. */
  token: string;
  port: () => number;
  origin: string | null;
  /** Folder of the built page. */
  pages: string;
  warn: (text: string) => void;
}

/** The page may load its own two files, and speak with its own server. Nothing else is loaded, run or framed. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** The files of the page, by path. They contain no results, so they need no token. */
const FILES: Readonly<Record<string, [file: string, type: string]>> = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/app.js': ['app.js', 'text/javascript; charset=utf-8'],
  '/app.css': ['app.css', 'text/css; charset=utf-8'],
};

/** The largest request of the page. */
const MAX_BYTES = 1024 * 1024;
const CHANGED = 'evaluation.md has changed since you have opened the form';

const MAX_SWEEPS = 50;

const limitIn = (text: string | undefined, usual: number): number =>
  Math.max(1, Math.floor(Number(text ?? usual))) || usual;

/** Creates the viewer's routes. Those of a list or a sweep answer with a line whenever something has changed. */
export function viewerApp({ token, port, origin, pages, ...settings }: ViewerSettings): Hono {
  const source = { ...settings, sweeps: sweepReader(settings.resultsPath, settings.warn) };
  const app = new Hono();
  app.use(async (context, next) => {
    const { req } = context;
    const refusal = refusalOf(
      {
        method: req.method,
        path: req.path,
        host: req.header('host'),
        origin: req.header('origin'),
        authorization: req.header('authorization'),
      },
      { token, port: port(), origin },
    );
    if (refusal === null) await next();
    else context.res = answerError(context, refusal.reason, refusal.status);
    for (const [name, value] of Object.entries(HEADERS)) context.res.headers.set(name, value);
  });
  const tooLarge = (context: Context): Response => answerError(context, `more than ${formatBytes(MAX_BYTES)}`, 413);
  app.use('/api/*', bodyLimit({ maxSize: MAX_BYTES, onError: tooLarge }));
  for (const [path, [file, type]] of Object.entries(FILES))
    app.get(path, (context) => context.body(readFileSync(join(pages, file), 'utf8'), 200, { 'content-type': type }));
  app.get('/api/sweeps', ({ req }) => {
    const limit = limitIn(req.query('limit'), MAX_SWEEPS);
    return ndjson((signal) => sweepLists(source, limit, signal));
  });
  app.get('/api/sweeps/:sweep', ({ req }) => {
    const query = new URL(req.url).searchParams;
    const part = {
      from: Math.max(0, Math.floor(Number(query.get('from') ?? 0)) || 0),
      limit: limitIn(query.get('limit') ?? undefined, USUAL_RUNS),
    };
    const shown = { selection: selectionIn(query), part };
    return ndjson((signal) => sweepStates(source, req.param('sweep'), shown, signal));
  });
  app.get('/api/sweeps/:sweep/retry', async (context) =>
    context.json(await retryPreview(source, context.req.param('sweep'), choiceIn(context))),
  );
  app.post('/api/sweeps/:sweep/retry', async (context) => {
    await retryFromPage(source, context.req.param('sweep'), choiceIn(context));
    return context.json({});
  });
  app.get('/api/regrade/:id', async (context) => context.json(await regradePreview(source, context.req.param('id'))));
  app.post('/api/regrade/:id', async (context) => context.json(await regradeFromPage(source, context.req.param('id'))));
  app.get('/api/sweeps/:sweep/plan', ({ req, json }) =>
    json(forecastFor(source.resultsPath, req.param('sweep'), Number(req.query('effect') ?? 20))),
  );
  app.post('/api/sweeps/:sweep/:verb', async (context) => {
    const { sweep, verb } = context.req.param();
    await steer(source, sweep, verb);
    return context.json({});
  });
  app.get('/api/runs/:run', async (context) => context.json(await answerForRun(source, context.req.param('run'))));
  app.get('/api/runs/:run/events', async ({ req }) => {
    const id = req.param('run');
    const place = await findRun(source, id);
    return ndjson((signal) => eventsOf(source, { id, place }, signal));
  });
  app.get('/api/runs/:run/events/:seq', async (context) => {
    const { run, seq } = context.req.param();
    const event = await wholeEvent(source, run, Number(seq));
    return event === null ? answerError(context, 'there is no such event', 404) : context.json(event);
  });
  app.get('/api/runs/:run/matches', async (context) =>
    context.json(await matchesIn(source, context.req.param('run'), context.req.query('text') ?? '')),
  );
  app.get('/api/runs/:run/changes', async (context) => context.json(await changesOf(source, context.req.param('run'))));
  app.get('/api/runs/:run/review', async (context) => context.json(await reviewOf(source, context.req.param('run'))));
  app.put('/api/runs/:run/review', async (context) => {
    const { saved, review } = await storeReview(source, context.req.param('run'), await bodyOf(context));
    return saved
      ? context.json(review satisfies ReviewAnswer)
      : context.json({ error: CHANGED, review } satisfies ChangedReview, 409);
  });
  app.get('/api/trends', (context) => {
    const { results } = resultsIndex(source.resultsPath).digests();
    const trends = scenarioTrends(results, context.req.query('scenario') ?? '');
    return context.json({ trends } satisfies TrendsAnswer);
  });
  app.get('/api/schedules', async (context) => context.json(await schedulesOf(source)));
  app.get('/api/compare', async (context) => {
    const { base = '', head = '', variants = '' } = context.req.query();
    const names = variants === '' ? [] : variants.split(',');
    return context.json(await comparisonFor(source, { base, head, variants: names }));
  });
  app.notFound((context) => answerError(context, 'not found', 404));
  app.onError((error, context) => {
    if (error instanceof UsageError)
      return answerError(context, error.message, error.code === 'unknown_id' ? 404 : 400);
    if (error instanceof InfrastructureError) return answerError(context, error.message, 503);
    source.warn(`error: ${error.message}`);
    return answerError(context, error.message, 500);
  });
  return app;
}

/**
 * The cells of a sweep that run again: those that `cell` names, else those without a result, with `failed` also those
 * that failed.
 */
const choiceIn = ({ req }: Context): RetryChoice => ({
  failed: req.query('failed') === '1',
  cells: req.queries('cell') ?? [],
});

/** @throws UsageError if the body is not JSON */
const bodyOf = async (context: Context): Promise<unknown> => {
  const body = parseJson(await context.req.text());
  if (body === undefined) throw new UsageError('usage', 'the request has no JSON');
  return body;
};

const answerError = (context: Context, error: string, status: 400 | 401 | 403 | 404 | 413 | 500 | 503): Response =>
  context.json({ error } satisfies ErrorAnswer, status);
