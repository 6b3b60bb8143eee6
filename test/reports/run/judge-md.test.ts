import { expect, test } from 'vitest';
import { NO_USAGE } from '../../../src/model/records/token-usage.js';
import { judgeSection } from '../../../src/reports/run/judge-md.js';
import { judgment, metrics, run } from '../../model/sample.js';

test('the section of the judge shows its tokens, and n/a for unknown numbers', () => {
  const section = (usage = judgment().usage): string => judgeSection(run(), metrics({ judge: judgment({ usage }) }));
  expect(section()).toContain('Tokens: 900 input, 80 output');
  expect(section({ ...NO_USAGE, input: 0 })).toContain('Tokens: 0 input, n/a output');
});
