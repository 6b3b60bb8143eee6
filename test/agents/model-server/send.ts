import type { ServerResponse } from 'node:http';
import type { Protocol, StreamEvent, Turn } from './protocol.js';
import type { Breakage } from './script.js';

export function sendJson(
  to: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  to.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

const STREAM = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };

const line = ({ event, data }: StreamEvent): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;

/** Sends the complete answer of the model. */
export function sendAnswer(to: ServerResponse, protocol: Protocol, turn: Turn, stream: boolean): void {
  if (!stream) {
    sendJson(to, 200, protocol.answer(turn));
    return;
  }
  to.writeHead(200, STREAM);
  for (const event of protocol.events(turn)) to.write(line(event));
  to.end(protocol.endMark);
}

/** Sends a broken answer. For an error event, a client without a stream gets a document that is cut off. */
export function sendBroken(
  to: ServerResponse,
  protocol: Protocol,
  turn: Turn,
  stream: boolean,
  how: Breakage['break'],
): void {
  if (how === 'hang') return;
  if (how === 'reset') {
    to.socket?.resetAndDestroy();
    return;
  }
  const cutOff = (): void => {
    to.socket?.destroy();
  };
  if (!stream) {
    const whole = Buffer.from(JSON.stringify(protocol.answer(turn)));
    to.writeHead(200, { 'content-type': 'application/json', 'content-length': whole.length });
    to.write(whole.subarray(0, whole.length / 2), cutOff);
    return;
  }
  const events = protocol.events(turn);
  const half = events
    .slice(0, Math.ceil(events.length / 2))
    .map(line)
    .join('');
  to.writeHead(200, STREAM);
  if (how === 'cut') to.write(half, cutOff);
  else to.end(half + line(protocol.errorEvent));
}
