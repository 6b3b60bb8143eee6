import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { formatDuration } from '#lib/pure';
import type { RunRecord } from '#model';
import type { EndedRunAnswer, OpenRunAnswer, RunAnswer } from '../protocol.js';
import { isImported, RerunRun } from './rerun-buttons.js';
import { embedded, useEvents, useLoaded } from './api.js';
import { Changes } from './changes.js';
import { Commands } from './commands.js';
import { ConversationView, UsedSoFar } from './conversation-view.js';
import { conversationOf, type Call, type Conversation } from './conversation.js';
import { Gates } from './gates.js';
import { Judge } from './judge.js';
import { Chip, Facts, Name, Outside, Page, Problem, Text, Waiting } from './parts.js';
import { addressOf } from './router.js';
import { Review } from './review.js';
import { stepSpans } from './step-spans.js';
import { TimelineView } from './timeline-view.js';

/** A run: why it ended as it did, what its agent did, and what it left. */
export function RunPage({ id, query }: { id: string; query: URLSearchParams }) {
  const { events, problem, isOver } = useEvents(id);
  // The answer about a run changes when it ends, and when it is reviewed.
  const [reviews, setReviews] = useState(0);
  const loaded = useLoaded<RunAnswer>(`/api/runs/${encodeURIComponent(id)}`, `${isOver} ${reviews}`);
  const conversation = useMemo(() => conversationOf(events), [events]);
  const { value } = loaded;
  if (value === null)
    return (
      <Page title={id}>
        <Waiting problem={loaded.problem} />
      </Page>
    );
  const parts = { conversation, at: Number(query.get('at') ?? 0) };
  return (
    <Page title={id}>
      <Problem text={problem ?? loaded.problem} />
      {value.state === 'open' ? (
        <OpenRun run={value} {...parts} />
      ) : (
        <EndedRun answer={value} {...parts} whenReviewed={() => setReviews((count) => count + 1)} />
      )}
    </Page>
  );
}

interface Parts {
  conversation: Conversation;
  /** Number of the event that the address points to; 0: none. */
  at: number;
}

interface TitleProps {
  sweep: string;
  cell: { scenario: string; variant: string; agent: string; model: string; repetition: number };
  look: string;
  uiUrl: string | null;
  /** Buttons. */
  children?: ComponentChildren;
}

function Title({ sweep, cell, look, uiUrl, children }: TitleProps) {
  return (
    <>
      <nav aria-label="Breadcrumb" class="crumbs">
        {embedded === null && (
          <>
            <a href={addressOf()}>Sweeps</a>
            <span aria-hidden="true">/</span>
          </>
        )}
        <a href={addressOf('sweeps', sweep)}>
          <Name>{sweep}</Name>
        </a>
      </nav>
      <div class="title">
        <h1>
          <Name>{cell.scenario}</Name>
          {cell.variant !== 'default' && (
            <>
              {' '}
              <span class="tag">
                <Name>{cell.variant}</Name>
              </span>
            </>
          )}
        </h1>
        <Chip look={look} />
        <span class="soft">
          <Name>{cell.model === 'default' ? cell.agent : `${cell.agent}/${cell.model}`}</Name> #{cell.repetition}
        </span>
        {children}
        {uiUrl !== null && <Outside href={uiUrl}>Temporal</Outside>}
      </div>
    </>
  );
}

const NO_STEPS: RunRecord['steps'] = [];

function OpenRun({ run, conversation, at }: { run: OpenRunAnswer } & Parts) {
  return (
    <>
      <Title sweep={run.sweep} cell={run.cell} look={run.engine ? 'running' : 'waiting'} uiUrl={run.uiUrl} />
      {!run.engine && <p class="note">The engine is not running, so this run makes no progress.</p>}
      <TimelineView run={run.run} steps={NO_STEPS} items={conversation.items} />
      <UsedSoFar run={run.run} conversation={conversation} at={at} />
      <ConversationView run={run.run} prompt={run.prompt} conversation={conversation} at={at} isLive />
    </>
  );
}

interface EndedRunProps extends Parts {
  answer: EndedRunAnswer;
  whenReviewed: () => void;
}

function EndedRun({ answer, conversation, at, whenReviewed }: EndedRunProps) {
  const { run, metrics, siblings } = answer;
  const cell = {
    scenario: run.scenario.name,
    variant: run.variant,
    agent: run.agent_name,
    model: run.model,
    repetition: run.repetition,
  };
  const calls = conversation.items.filter((item): item is Call => item.kind === 'call');
  return (
    <>
      <Title sweep={run.sweep} cell={cell} look={run.outcome} uiUrl={answer.uiUrl}>
        {embedded === null && !isImported(run) && <RerunRun run={run.run_id} sweep={run.sweep} cell={run.cell} />}
      </Title>
      {siblings.length > 1 && (
        <nav aria-label="Repetitions" class="siblings">
          {siblings.map((one) => (
            <a
              key={one.run}
              class={`chip ${one.outcome}`}
              href={addressOf('runs', one.run)}
              aria-label={`Repetition ${one.repetition}: ${one.outcome}`}
              {...(one.run === run.run_id ? { 'aria-current': 'page' as const } : {})}
            >
              #{one.repetition}
            </a>
          ))}
        </nav>
      )}
      {run.outcome !== 'pass' && (
        <p class={`reason ${run.outcome}`}>
          <Name>{run.message}</Name>
        </p>
      )}
      <TimelineView run={run.run_id} steps={run.steps} items={conversation.items} />
      <div class="columns">
        <aside class="first" aria-label="Gates and judge">
          <Gates run={run.run_id} metrics={metrics} calls={calls} />
          <Judge metrics={metrics} human={answer.human} />
          <Review run={run.run_id} human={answer.human} metrics={metrics} whenSaved={whenReviewed} />
        </aside>
        <div>
          <UsedSoFar run={run.run_id} conversation={conversation} at={at} />
          <ConversationView {...{ run: run.run_id, prompt: run.scenario.prompt, conversation, at }} isLive={false} />
          <Changes run={run.run_id} />
        </div>
        <aside aria-label="Steps and facts">
          <Steps run={run} />
          <RunFacts answer={answer} />
          <Commands commands={answer.commands} />
        </aside>
      </div>
    </>
  );
}

function RunFacts({ answer: { run, facts } }: { answer: EndedRunAnswer }) {
  return (
    <section class="card" aria-label="Facts">
      <h2>Facts</h2>
      <Facts facts={facts.map(([label, value]) => [label, <Name>{value}</Name>])} />
      {run.warnings.map((text) => (
        <div key={text} class="note">
          <Text text={text} lines={5} />
        </div>
      ))}
    </section>
  );
}

/** Shorter bars could not be seen. */
const LEAST = 0.008;

/** The durable steps of a run on a line of time, with their attempts. */
function Steps({ run }: { run: RunRecord }) {
  const { totalMs, spans } = stepSpans(run);
  const history = run.agent?.history ?? [];
  return (
    <section class="card" aria-label="Steps">
      <h2>
        Steps <span class="soft">{formatDuration(totalMs)}</span>
      </h2>
      <ol class="steps">
        {run.steps.map(({ name, status, duration_ms: ms, attempts, note }, at) => {
          const { from = 0, length = 0 } = spans[at] ?? {};
          return (
            <li key={at} class={status}>
              <span class="name">
                <Name>{name}</Name>
                {status !== 'done' && <span class="soft"> {status.replace('_', ' ')}</span>}
                {attempts > 1 && <span class="tag">{attempts} attempts</span>}
              </span>
              <span class="soft">{ms === null ? '' : formatDuration(ms)}</span>
              <svg class="line" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
                <rect
                  x={Math.min(from, 1 - LEAST)}
                  y={0}
                  width={ms === null ? 0 : Math.max(LEAST, length)}
                  height={1}
                />
              </svg>
              {note !== null && (
                <div class="note">
                  <Text text={note} lines={4} />
                </div>
              )}
            </li>
          );
        })}
      </ol>
      {history.length > 0 && (
        <>
          <h3>Other starts of the agent</h3>
          {history.map((text) => (
            <Text key={text} text={text} lines={3} />
          ))}
        </>
      )}
    </section>
  );
}
