import { expect, test } from 'vitest';
import { type DoctorRow, renderDoctor } from '../../../src/reports/lists/doctor.js';

const checks: DoctorRow[] = [
  { name: 'node', status: 'ok', message: '20.19.0' },
  { name: 'config', status: 'problem', message: 'a.toml:1:1 is broken', remedy: 'correct it' },
  { name: 'go', status: 'info', message: 'not installed' },
  { name: 'agent x', status: 'warning', message: 'was not\n\x1b[31mfound', remedy: 'install it' },
];

test('has a row for each check, the advice below it, and a count', () => {
  expect(renderDoctor(checks, { color: false })).toBe(
    [
      '✓  node     20.19.0',
      '✗  config   a.toml:1:1 is broken',
      '     → correct it',
      '·  go       not installed',
      '!  agent x  was not found',
      '     → install it',
      '',
      '1 problem, 1 warning',
      '',
    ].join('\n'),
  );
});

test('counts no problems and several in words', () => {
  expect(renderDoctor([], { color: false })).toBe('\nno problems, no warnings\n');
  const twice = renderDoctor([...checks, ...checks], { color: false });
  expect(twice.trimEnd().split('\n').at(-1)).toBe('2 problems, 2 warnings');
});

test('colours only the marks, not the text of a check', () => {
  const text = renderDoctor(checks, { color: true });
  expect(text).toContain('\x1b[31m✗\x1b[39m');
  expect(text).not.toContain('\x1b[31mfound');
});
