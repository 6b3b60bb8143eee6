import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Comment {
  id: number;
  body: string;
  user: { type: string };
  author_association: string;
  html_url: string;
}

/** A stand-in for the part of GitHub's API that concerns comments on the pull request 7 of `octo/stock`. */
export interface GitHubServer {
  address: string;
  comments: Comment[];
  /** Method and path of every request. */
  asked: string[];
  /** The status that requests with this method get instead. */
  refused: Map<string, number>;
  close: () => void;
}

export const TOKEN = 'ghs_ofthistest';

/** Starts the server on loopback. */
export async function startGitHub(): Promise<GitHubServer> {
  const comments: Comment[] = [];
  const asked: string[] = [];
  const refused = new Map<string, number>();
  const bodyOf = async (request: IncomingMessage): Promise<string> => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    return text === '' ? '' : (JSON.parse(text) as { body: string }).body;
  };
  const answer = async (request: IncomingMessage): Promise<[number, unknown]> => {
    const { method = '', url = '', headers } = request;
    asked.push(`${method} ${url}`);
    const body = await bodyOf(request);
    const status = refused.get(method);
    if (status !== undefined) return [status, { message: 'Resource not accessible by integration' }];
    if (headers.authorization !== `Bearer ${TOKEN}`) return [401, { message: 'Bad credentials' }];
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    if (pathname === '/repos/octo/stock/issues/7/comments') {
      if (method === 'GET') {
        const start = (Number(searchParams.get('page')) - 1) * 100;
        return [200, comments.slice(start, start + 100)];
      }
      const id = comments.length + 1;
      const html_url = `https://github.example/octo/stock/pull/7#issuecomment-${id}`;
      comments.push({ id, body, user: { type: 'Bot' }, author_association: 'NONE', html_url });
      return [201, comments.at(-1)];
    }
    const [, id = ''] = /^\/repos\/octo\/stock\/issues\/comments\/(\d+)$/.exec(pathname) ?? [];
    const comment = comments.find((one) => String(one.id) === id);
    if (method !== 'PATCH' || comment === undefined) return [404, { message: 'Not Found' }];
    comment.body = body;
    return [200, comment];
  };
  const server = createServer((request, response) => {
    void answer(request).then(([status, value]) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    comments,
    asked,
    refused,
    close: () => server.close(),
  };
}
