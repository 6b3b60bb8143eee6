import { expect, test, vi } from 'vitest';
import { createLruCache } from '../../src/lib/lru-cache.js';

test('creates a value once, and again after it was evicted', async () => {
  const recent = createLruCache<string>(2);
  const make = vi.fn((key: string) => key.toUpperCase());
  const get = (key: string): Promise<string> => recent(key, () => make(key));
  expect(await get('a')).toBe('A');
  await get('b');
  await get('a');
  await get('c'); // evicts b, the least recently used
  await get('a');
  expect(make.mock.calls.flat()).toEqual(['a', 'b', 'c']);
  expect(await get('b')).toBe('B');
  expect(make.mock.calls.flat()).toEqual(['a', 'b', 'c', 'b']);
});

test('tries again to create a value after a failure', async () => {
  const recent = createLruCache<number>(1);
  await expect(recent('a', () => Promise.reject(new Error('not yet')))).rejects.toThrow('not yet');
  expect(await recent('a', () => 1)).toBe(1);
});
