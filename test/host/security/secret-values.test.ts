import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  NO_PUBLIC_VALUES,
  publicVariables,
  secretsIn,
  type PublicValues,
} from '../../../src/host/security/sweep-env.js';
import { addressVariables } from '../../../src/host/models/model-providers.js';

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

describe('values of variables', () => {
  it('are secret unless they equal a public name, and then their variables are listed', () => {
    const values = { A: 'nightly', B: 'nightly\n', C: 'nightly2', D: 'night', E: 'Nightly' };
    expect(secretsIn(values, known)).toEqual(['nightly2', 'night', 'Nightly']);
    expect(publicVariables(values, known)).toEqual([
      ['A', 'the sweep'],
      ['B', 'the sweep'],
    ]);
  });

  it('cause no warning if they are too short to be masked or never secret', () => {
    expect(publicVariables({ BRANCH: 'main', USER: 'nightly' }, known)).toEqual([]);
  });

  it('are not secret if they are the path of a file in the fixture', () => {
    const files = { A: 'orders.csv', B: 'data/more.csv' };
    expect(secretsIn(files, known)).toEqual([]);
    expect(publicVariables(files, known).map(([, named]) => named)).toEqual(Array(2).fill('a file of the fixture'));
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

  it('are not secret, so that a message can name them', () => {
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
  ])('are secret if they contain more than an address: %s', (value) => {
    expect(secrets({ OPENAI_BASE_URL: value })).toEqual([value]);
  });

  it('are recognised by their variable: an address in another variable or a key is secret', () => {
    const values = { HOOK_URL: 'https://hooks.example.com/a', OPENAI_API_KEY: 'https://example.com' };
    expect(secrets(values)).toEqual(Object.values(values));
  });
});
