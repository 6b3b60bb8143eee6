import { useEffect, useState } from 'preact/hooks';
import { takeToken } from './api.js';

/** A place in the viewer: `#/sweeps/<id>?outcome=fail`. */
export interface Route {
  /** The parts of the path, decoded. */
  path: string[];
  query: URLSearchParams;
}

function routeNow(): Route {
  const [path = '', query = ''] = location.hash.slice(1).split('?');
  const parts = path.split('/').filter((part) => part !== '');
  return { path: parts.map(decode), query: new URLSearchParams(query) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The current place; changes when the user goes to another one. */
export function useRoute(): Route {
  const [route, setRoute] = useState(routeNow);
  useEffect(() => {
    const change = (): void => {
      takeToken();
      setRoute(routeNow());
    };
    addEventListener('hashchange', change);
    return () => removeEventListener('hashchange', change);
  }, []);
  return route;
}

/** Formats the address of a place. Half a character, which no address can have, is replaced. */
export const addressOf = (...path: string[]): string =>
  `#/${path.map((part) => encodeURIComponent(part.replace(/\p{Surrogate}/gu, '\ufffd'))).join('/')}`;

/** Formats the address of an event in the transcript of a run. */
export const eventAddress = (run: string, seq: number): string => `${addressOf('runs', run)}?at=${seq}`;

/** Changes the query of the current place, without a new entry in the history: one letter of a search is no place. */
export function replaceQuery(query: string): void {
  const [path = ''] = location.hash.split('?');
  history.replaceState(null, '', `${path === '' ? '#/' : path}${query}`);
  dispatchEvent(new Event('hashchange'));
}
