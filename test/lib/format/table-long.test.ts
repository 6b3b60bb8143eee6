import { expect, test } from 'vitest';
import { compileSources } from '../../host/compiled.js';

const compiled = await compileSources();

// V8 itself stops optimising them in a process that has compiled very many.
test('megabytes of text are measured and cut also where V8 does not optimise regular expressions', async () => {
  const program = compiled.program(`
    import { textWidth, truncate } from './lib/format/table.js';
    const long = 'ž'.repeat(10_000_000);
    console.log(textWidth(long), textWidth(long + '日'), truncate(long, 4), truncate(long + '日', 4));
  `);
  const { stdout, stderr } = await compiled.run('--no-regexp-optimization', [program]);
  expect({ stdout, stderr }).toEqual({ stdout: '10000000 10000002 žžž… žžž…', stderr: '' });
});
