import { useEffect, useRef, useState } from 'preact/hooks';
import { formatCost, formatDuration, plainText } from '#lib/pure';
import type { RunEvent } from '#model';
import { get } from './api.js';
import { CallView, McpCallView, ToolsView, type WholeOf } from './call-view.js';
import { type Conversation, eventsIn, indexOfEvent, type Item, nextFailed } from './conversation.js';
import { Name, Text } from './parts.js';
import { RawEvents } from './raw-events.js';
import { eventAddress } from './router.js';
import { earlierPart, firstPart, laterPart, type Part } from './shown-part.js';
import { TranscriptSearch } from './transcript-search.js';

interface ConversationProps {
  run: string;
  prompt: string | null;
  conversation: Conversation;
  /** Number of the event that is shown; 0: none. */
  at: number;
  /** True if the run goes on: then the end is shown, and otherwise the beginning. */
  isLive: boolean;
  /** Names the section; two may be on a page. */
  label?: string;
}

/** The distance to the page's end within which a reader follows what is added, in pixels. */
const NEAR = 160;

/** The agent's prompts, messages, thoughts and actions. */
export function ConversationView({
  run,
  prompt,
  conversation: { items },
  at,
  isLive,
  label = 'Conversation',
}: ConversationProps) {
  const wanted = at === 0 ? -1 : indexOfEvent(items, at);
  const [chosen, setChosen] = useState<{ at: number; part: Part } | null>(null);
  const usual = firstPart(items.length, isLive && wanted === -1 ? items.length : wanted);
  const part = chosen?.at === at ? chosen.part : usual;
  const { from } = part;
  const to = Math.min(items.length, part.to);
  const show = (next: Part): void => setChosen({ at, part: next });
  useFollowedEnd(isLive, items.length);
  useShown(anchorOf(run, items[wanted]?.event.seq ?? 0), wanted !== -1);
  const start = items[0] === undefined ? 0 : Date.parse(items[0].event.ts);
  return (
    <section aria-label={label}>
      <h2>Conversation</h2>
      <TranscriptSearch {...{ run, label }} />
      {from > 0 && (
        <MoreItems
          words={`Show earlier (${from})`}
          end="Show the beginning"
          showMore={() => show(earlierPart(part))}
          showEnd={() => show(firstPart(items.length, -1))}
        />
      )}
      <ol class="conversation" aria-live={isLive ? 'polite' : 'off'}>
        {prompt !== null && from === 0 && (
          <li class="item user">
            <span class="who">Task</span>
            <Text text={prompt} lines={20} />
          </li>
        )}
        {items.slice(from, to).map((item, index) => (
          <li
            key={item.event.seq}
            id={anchorOf(run, item.event.seq)}
            class={`item ${item.kind} ${item.kind === 'message' ? item.event.role : ''} ${from + index === wanted ? 'shown' : ''}`}
          >
            <div class="rendered">
              <ItemView {...{ run, item }} isShown={from + index === wanted} />
            </div>
            <time class="soft" dateTime={item.event.ts}>
              +{formatDuration(Date.parse(item.event.ts) - start)}
            </time>
            <RawEvents run={run} seqs={eventsIn(item)} />
          </li>
        ))}
      </ol>
      {to < items.length && (
        <MoreItems
          words={`Show more (${items.length - to})`}
          end="Show the end"
          showMore={() => show(laterPart(part, items.length))}
          showEnd={() => show(firstPart(items.length, items.length))}
        />
      )}
      {isLive && (
        <p class="soft working">
          <i aria-hidden="true" /> The agent is working; this page follows it.
        </p>
      )}
      {items.length === 0 && !isLive && <p class="soft">There is no transcript.</p>}
    </section>
  );
}

interface MoreItemsProps {
  words: string;
  end: string;
  showMore: () => void;
  showEnd: () => void;
}

/** Buttons at an end of what is shown. More is shown as soon as a reader comes near. */
function MoreItems({ words, end, showMore, showEnd }: MoreItemsProps) {
  const place = useRef<HTMLParagraphElement>(null);
  const act = useRef(showMore);
  act.current = showMore;
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) act.current();
    });
    if (place.current !== null) observer.observe(place.current);
    return () => observer.disconnect();
  }, [words]);
  return (
    <p ref={place} class="buttons">
      <button type="button" onClick={showMore}>
        {words}
      </button>
      <button type="button" onClick={showEnd}>
        {end}
      </button>
    </p>
  );
}

/** Keeps the end of the page in view, unless the reader has scrolled up. */
function useFollowedEnd(isLive: boolean, length: number): void {
  const wasNear = useRef(false);
  useEffect(() => {
    if (isLive && wasNear.current) scrollTo({ top: document.documentElement.scrollHeight });
  }, [isLive, length]);
  useEffect(() => {
    const look = (): void => {
      const { scrollHeight } = document.documentElement;
      wasNear.current = innerHeight + scrollY > scrollHeight - NEAR;
    };
    addEventListener('scroll', look, { passive: true });
    return () => removeEventListener('scroll', look);
  }, []);
}

/** The id of an event's element. Two conversations may be on a page. */
const anchorOf = (run: string, seq: number): string => `e-${run}-${seq}`;

/** Scrolls to the event that the address points to, once it is there. */
function useShown(anchor: string, isThere: boolean): void {
  useEffect(() => {
    if (isThere) document.getElementById(anchor)?.scrollIntoView({ block: 'center' });
  }, [anchor, isThere]);
}

function wholeOf(run: string, ...[event, textOf]: Parameters<WholeOf>): ReturnType<WholeOf> {
  return event.cut === undefined
    ? undefined
    : async () => textOf(await get<RunEvent>(`/api/runs/${encodeURIComponent(run)}/events/${event.seq}`));
}

const WHO = { user: 'User', assistant: 'Agent', system: 'System' } as const;

function ItemView({ run, item, isShown }: { run: string; item: Item; isShown: boolean }) {
  switch (item.kind) {
    case 'message':
      return (
        <>
          <span class="who">{WHO[item.event.role]}</span>
          <Text
            text={item.event.text}
            whole={wholeOf(run, item.event, (event) => ('text' in event ? event.text : ''))}
          />
        </>
      );
    case 'thought':
      return (
        <>
          <span class="who">Thinking</span>
          <Text
            text={item.event.text}
            lines={6}
            whole={wholeOf(run, item.event, (event) => ('text' in event ? event.text : ''))}
          />
        </>
      );
    case 'extension': {
      const { kind, name, exit_code: code, output } = item.event;
      return (
        <>
          <span class="who">
            {`${kind} `}
            <Name>{name}</Name>
            {code !== null && ` (exit code ${code})`}
          </span>
          <Text text={output} lines={6} mono />
        </>
      );
    }
    case 'call':
    case 'mcp': {
      const ofRun: WholeOf = (event, textOf) => wholeOf(run, event, textOf);
      const parts = { isShown, wholeOf: ofRun };
      if (item.kind === 'mcp') return <McpCallView event={item.event} {...parts} />;
      return item.mcp === null ? <CallView call={item} {...parts} /> : <McpCallView event={item.mcp} {...parts} />;
    }
    case 'tools':
      return <ToolsView event={item.event} />;
    case 'problem':
      return (
        <>
          <span class="who fail">
            MCP server <Name>{item.event.server}</Name>
          </span>
          <Text text={item.event.message} lines={10} />
        </>
      );
    case 'script': {
      const { type, command, exit_code: code, stdout, stderr } = item.event;
      return (
        <details open={code !== 0}>
          <summary>
            <span class="who">{type === 'setup_command' ? 'Setup' : 'Script'}</span>
            <code class="command">
              <Name>{command}</Name>
            </code>
            {code !== 0 && <span class="chip fail">{code === null ? 'killed' : `exit ${code}`}</span>}
          </summary>
          <Text text={`${stdout}${stderr}`} lines={12} mono />
        </details>
      );
    }
    case 'start':
      return (
        <span class="soft">
          {item.number === 1 ? 'Started' : `Started again (${item.number})`}
          {item.event.model_used !== null && (
            <>
              {' with '}
              <Name>{item.event.model_used}</Name>
            </>
          )}
        </span>
      );
    case 'error':
      return (
        <>
          <span class="who fail">Error{item.event.retryable ? ' (may be retried)' : ''}</span>
          <Text text={item.event.message} lines={10} />
        </>
      );
    case 'end':
      return (
        <span class="soft">
          Ended: {plainText(item.event.ending)}
          {item.event.exit_code !== null && item.event.exit_code !== 0 && `, exit ${item.event.exit_code}`}
        </span>
      );
  }
}

const tokens = (count: number): string =>
  count < 1000 ? String(count) : `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`;

interface UsedProps {
  run: string;
  conversation: Conversation;
  /** Number of the event that is shown; 0: none. */
  at: number;
}

/** The agent's usage, as far as it has reported it. Failed calls link to the next of them. */
export const UsedSoFar = ({ run, conversation: { items, used }, at }: UsedProps) => (
  <p class="used soft">
    {used.calls !== null && (
      <span>
        {used.calls} {used.calls === 1 ? 'call' : 'calls'}
      </span>
    )}
    {used.mcpCalls > 0 && <span>{used.mcpCalls} of MCP servers</span>}
    {used.failed > 0 && (
      <a class="fail" href={eventAddress(run, nextFailed(items, at) ?? 0)} title="Go to the next call that failed">
        {used.failed} failed
      </a>
    )}
    {used.skills.length > 0 && (
      <span>
        {used.skills.length === 1 ? 'skill' : 'skills'} <Name>{used.skills.join(', ')}</Name>
      </span>
    )}
    {used.tokensIn !== null && <span>{tokens(used.tokensIn)} tokens in</span>}
    {used.tokensOut !== null && <span>{tokens(used.tokensOut)} out</span>}
    {used.costUsd !== null && <span>{formatCost(used.costUsd)}</span>}
  </p>
);
