import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { announceClean, cleanIsOver, appendResult, readResults, rewriteResults } from '../../src/store/results-log.js';
import { compileSources } from '../host/compiled.js';
import { newFolder } from '../host/temporary.js';
import { newLog, resultLine } from './sample.js';

const compiled = await compileSources();

it('waits for nothing and creates nothing if there was no clean', async () => {
  const folder = await newFolder();
  await cleanIsOver(folder);
  expect(existsSync(join(folder, '.clean'))).toBe(false);
});

it('writes a result to the new file, not to the one that is being replaced, and only then resolves', async () => {
  const log = await newLog();
  await appendResult(log, resultLine({ id: 'old' }));
  const clean = await announceClean(dirname(log));
  let isDone = false;
  let appended: Promise<void> = Promise.resolve();
  // The line arrives after all lines have been read, just before the new file replaces the old one.
  const freed = await rewriteResults(log, () => {
    appended = appendResult(log, resultLine({ id: 'new' })).then(() => void (isDone = true));
    return 'drop';
  });
  expect(freed).toBeGreaterThan(0);
  expect(isDone).toBe(false);
  await clean?.release();
  await appended;
  expect(readResults(log).results.map(({ id }) => id)).toEqual(['new']);
});

it('does not wait for a clean that was killed', async () => {
  const log = await newLog();
  await appendResult(log, resultLine({ id: 'a' }));
  const dying = compiled.program(`
    import { announceClean } from './store/results-log.js';
    if (await announceClean(process.argv[2])) process.kill(process.pid, 'SIGKILL');`);
  await compiled.run(dying, [dirname(log)]);
  expect(existsSync(join(dirname(log), '.clean', 'clean.lock.1'))).toBe(true);
  await appendResult(log, resultLine({ id: 'b' }));
  expect(readResults(log).results.map(({ id }) => id)).toEqual(['a', 'b']);
});

it('loses no line of workers that append while the file is rewritten again and again', async () => {
  const log = await newLog();
  const enough = join(await newFolder(), 'enough');
  // Prints how many lines it has appended that must be kept.
  const appender = compiled.program(`
    import { existsSync } from 'node:fs';
    import { appendResult } from './store/results-log.js';
    const [log, name, line, enough] = process.argv.slice(2);
    let n = 0;
    for (; n < 25 || !existsSync(enough); n++) {
      await appendResult(log, { ...JSON.parse(line), id: name + n });
      await appendResult(log, { ...JSON.parse(line), id: 'old' });
    }
    console.log(n);`);
  const over = new AbortController();
  const appenders = Promise.all(
    ['a', 'b'].map((name) => compiled.run(appender, [log, name, JSON.stringify(resultLine()), enough])),
  ).finally(() => over.abort());
  let rewritten = 0;
  while (!over.signal.aborted) {
    const lock = await announceClean(dirname(log));
    if (existsSync(log)) {
      const freed = await rewriteResults(log, (_line, text) => (text.includes('"id":"old"') ? 'drop' : 'keep'));
      if (freed !== 0) rewritten += 1;
      if (rewritten === 3) writeFileSync(enough, '');
    }
    await lock?.release();
  }
  const ends = await appenders;
  expect(ends.map(({ stderr }) => stderr)).toEqual(['', '']);
  expect(rewritten).toBeGreaterThan(2);
  const ids = new Set(readResults(log).results.map(({ id }) => id));
  ids.delete('old');
  const appended = ends.map(({ stdout }) => Number(stdout));
  expect(Math.min(...appended)).toBeGreaterThanOrEqual(25);
  expect(ids.size).toBe(appended.reduce((sum, count) => sum + count));
});

it('keeps remaining lines byte for byte, and does not touch the file on stop or if nothing is dropped', async () => {
  const log = await newLog();
  const content = Buffer.from('one\r\n\xff two\n\nthree', 'latin1');
  writeFileSync(log, content);
  expect(await rewriteResults(log, (line) => (line === 3 ? 'stop' : 'drop'))).toBeNull();
  expect(await rewriteResults(log, () => 'keep')).toBe(0);
  expect(readFileSync(log)).toEqual(content);
  expect(await rewriteResults(log, (line) => (line === 1 ? 'drop' : 'keep'))).toBe(5);
  expect(readFileSync(log)).toEqual(content.subarray(5));
});
