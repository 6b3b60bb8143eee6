import { expect, test } from 'vitest';
import type { Client } from '@temporalio/client';
import { ensureSearchAttributes } from '../../../src/engine/temporal/search-attributes.js';

const refused = (code: number, message = 'no'): Error => Object.assign(new Error(message), { code });

/** A server like Temporal Cloud: it has these attributes, but no operator service. */
const cloud = (has: readonly string[]): Client =>
  ({
    options: { namespace: 'team.a1b2' },
    connection: { operatorService: { listSearchAttributes: () => Promise.reject(refused(12)) } },
    workflow: {
      count: (query: string) =>
        has.some((name) => query.startsWith(`${name} `))
          ? Promise.resolve({ count: 0 })
          : Promise.reject(Object.assign(new Error('count'), { cause: refused(3) })),
    },
  }) as unknown as Client;

const ALL = ['SweepId', 'Scenario', 'Agent', 'Model', 'Variant', 'Outcome', 'CostUsd', 'Rep'];

test('accepts existing attributes without the operator service', async () => {
  await expect(ensureSearchAttributes(cloud(ALL))).resolves.toBeUndefined();
});

test('names missing attributes with the commands that create them', async () => {
  await expect(ensureSearchAttributes(cloud(ALL.slice(0, 6)))).rejects.toThrow(
    /create --namespace team\.a1b2 --name CostUsd --type Double --name Rep --type Int\n[^]*tcld .* --sa "CostUsd=Double" --sa "Rep=Int"/,
  );
});

test('refuses an attribute of another type', async () => {
  const client = {
    options: { namespace: 'shared' },
    connection: {
      operatorService: { listSearchAttributes: () => Promise.resolve({ customAttributes: { Model: 1 } }) },
    },
  } as unknown as Client;
  await expect(ensureSearchAttributes(client)).rejects.toThrow(/Model \(is TEXT, expected KEYWORD\)/);
});
