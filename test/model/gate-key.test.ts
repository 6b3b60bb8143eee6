import { expect, test } from 'vitest';
import { gateKey } from '../../src/model/gate-title.js';

test.each([
  ['its name', 'notes are kept', 'notes.md', 'notes are kept'],
  ['its type and subject if it has no name', null, 'notes.md', 'file_exists notes.md'],
  ['its type alone if it has no subject either', null, '', 'file_exists'],
])('a gate is identified by %s', (_, name, subject, key) => {
  expect(gateKey({ gate_type: 'file_exists', name, subject })).toBe(key);
});
