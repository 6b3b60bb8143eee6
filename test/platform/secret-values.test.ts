import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  NO_PUBLIC_VALUES,
  publicVariables,
  secretsIn,
  type PublicValues,
} from '../../src/platform/sweep-env.js';
import { addressVariables } from '../../src/platform/models/model-providers.js';

let folder: string;
let known: PublicValues;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'llm-tool-test-values-'));
  mkdirSync(join(folder, 'initial-state', 'data'), { recursive: true });
  writeFileSync(join(folder, 'orders.csv'), '');
  writeFileSync(join(folder, 'initial-state', 'data', 'more.csv'), '');
  known = {
    names: new Map([
      ['nightly', 'the sweep'],
      ['main', 'a variant'],
    ]),
    addresses: new Set(),
    fixtures: [folder],
  };
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('handed-over values', () => {
  it('are secrets unless they equal a name, and then their variables are named', () => {
    const values = { A: 'nightly', B: 'nightly\n', C: 'nightly2', D: 'night', E: 'Nightly' };
    expect(secretsIn(values, known)).toEqual(['nightly2', 'night', 'Nightly']);
    expect(publicVariables(values, known)).toEqual([
      ['A', 'the sweep'],
      ['B', 'the sweep'],
    ]);
  });

  it('are not warned of where they are too short to be masked, or never secret', () => {
    expect(publicVariables({ BRANCH: 'main', USER: 'nightly' }, known)).toEqual([]);
  });

  it('are no secrets where a file of the fixture has that path', () => {
    const files = { A: 'orders.csv', B: 'data/more.csv' };
    expect(secretsIn(files, known)).toEqual([]);
    expect(publicVariables(files, known).map(([, named]) => named)).toEqual(
      Array(2).fill('a file of the fixture'),
    );
    const others = [
      '/etc/passwd',
      `../${folder}/orders.csv`,
      'initial-state/../orders.csv',
      'a\0b-c-d',
      '.',
      'x'.repeat(5000),
    ];
    expect(secretsIn(Object.fromEntries(others.map((value, index) => [`V${index}`, value])), known)).toEqual(
      others.filter((value) => value !== '.'),
    );
  });
});

describe('addresses of providers', () => {
  const addresses = addressVariables({ house: { base_url: 'https://${HOUSE_HOST}/v1', free: true } });
  const secrets = (values: Record<string, string>) => secretsIn(values, { ...NO_PUBLIC_VALUES, addresses });

  it('are no secrets, so that a message can name what was asked', () => {
    expect(
      secrets({
        OPENAI_BASE_URL: 'http://localhost:4000/v1',
        ANTHROPIC_BASE_URL: 'https://proxy.example.com',
      }),
    ).toEqual([]);
  });

  it.each([
    'https://user:word@example.com',
    'https://user@example.com/v1',
    'https://example.com/v1?key=abcdef',
    'https://example.com/#abcdef',
    'https://example.com/sk0123456789abcdef/v1',
    'no address',
  ])('are secrets where they hold more than that: %s', (value) => {
    expect(secrets({ OPENAI_BASE_URL: value })).toEqual([value]);
  });

  it('are known by the variable: another one of that form is a secret, and so is a key', () => {
    const values = { HOOK_URL: 'https://hooks.example.com/a', OPENAI_API_KEY: 'https://example.com' };
    expect(secrets(values)).toEqual(Object.values(values));
  });
});
