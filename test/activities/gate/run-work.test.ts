import { expect, it } from 'vitest';
import { compileSources } from '../../host/compiled.js';

const compiled = await compileSources();

/** The result of a piece of work, and how many turns other work had meanwhile. */
async function worked(call: {
  kind: string;
  input: string;
  timeoutSecs: number;
}): Promise<{ result: unknown; turns: number }> {
  const program = compiled.program(`
    import { runWork } from './activities/gate/run-work.js';
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const result = await runWork('${call.kind}', ${call.input}, ${call.timeoutSecs}, new AbortController().signal);
    clearInterval(timer);
    console.log(JSON.stringify({ result, turns }));`);
  const { stdout, stderr } = await compiled.run(program, []);
  expect(stderr).toBe('');
  return JSON.parse(String(stdout)) as { result: unknown; turns: number };
}

it('matches a large text without blocking other work', async () => {
  const input = `{ pattern: '(?i)total:\\\\s+(\\\\d+)', texts: ['x'.repeat(4_000_000) + 'Total: 5', 'y'], whole: false }`;
  const { result, turns } = await worked({ kind: 'matches', input, timeoutSecs: 280 });
  expect(result).toEqual([true, false]);
  expect(turns).toBeGreaterThan(1);
});

it('gives up at the time limit, even if a regular expression would never end', async () => {
  const json = `JSON.stringify([{ a: 'a'.repeat(60) + '!' }])`;
  const input = `{ path: "$[?search(@.a, '^(a+)+$')]", assertion: 'exists', json: ${json} }`;
  expect(await worked({ kind: 'holds', input, timeoutSecs: 1 })).toMatchObject({ result: null });
});

it('does quick work at once', async () => {
  const input = `{ path: '$.a', assertion: 'equals 1', json: '{"a": 2}' }`;
  const { result } = await worked({ kind: 'holds', input, timeoutSecs: 0.000001 });
  expect(result).toEqual({ ok: false, message: 'expected 1, found 2' });
});
