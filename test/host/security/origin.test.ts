import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  proveOrder,
  proveRun,
  proveSignal,
  proveSweep,
  readOriginKey,
  readSigned,
  sign,
  verifyOrderProof,
  verifyRunProof,
  verifySignal,
  verifySweepProof,
} from '../../../src/host/security/origin.js';
import { newFolder } from '../temporary.js';

const key = Buffer.alloc(32, 1);

test('creates the key once, private to the user, even for many concurrent calls', async () => {
  const folder = join(await newFolder(), 'state');
  const keys = await Promise.all(Array.from({ length: 8 }, () => readOriginKey(folder)));
  expect(new Set(keys.map((one) => one.toString('hex'))).size).toBe(1);
  expect(keys[0]).toHaveLength(32);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, 'origin.key')).mode & 0o777).toBe(0o600);
  const other = await readOriginKey(await newFolder());
  expect(other).not.toEqual(keys[0]);
});

test('refuses a damaged key', async () => {
  const folder = await newFolder();
  writeFileSync(join(folder, 'origin.key'), '');
  await expect(readOriginKey(folder)).rejects.toThrow(/origin\.key is damaged; delete it/);
  expect(readFileSync(join(folder, 'origin.key'), 'utf8')).toBe('');
});

test('the proof of a sweep covers everything that decides about costs, and is valid for nothing else', () => {
  const facts = {
    sweep: 's',
    planHash: 'h',
    order: { round: 1, concurrency: 2, caps: { agents: { a: 1, b: 2 } } },
  };
  const proof = proveSweep(key, facts);
  const [order = ''] = proof.split('.');
  expect(verifySweepProof(key, facts, proof)).toBe(order);
  const reordered = { caps: { agents: { b: 2, a: 1 } }, concurrency: 2, round: 1 };
  expect(verifySweepProof(key, { ...facts, order: reordered }, proof)).toBe(order);
  for (const change of [
    { sweep: 't' },
    { planHash: 'i' },
    { order: { ...facts.order, concurrency: 3 } },
    { order: { ...facts.order, maxUsd: 5 } },
    { order: { round: 1, concurrency: 2 } },
  ])
    expect(verifySweepProof(key, { ...facts, ...change }, proof)).toBeNull();
  expect(verifySweepProof(Buffer.alloc(32, 2), facts, proof)).toBeNull();
  expect(verifySweepProof(key, facts, proof.replace(order, '0'.repeat(16)))).toBeNull();
  expect(verifySweepProof(key, facts, '')).toBeNull();
  expect(proveSweep(key, facts)).not.toBe(proof);
});

test('the proof of a run is valid only for its cell, plan, workflow and order, and not for a sweep', () => {
  const facts = { sweep: 's', planHash: 'h', cell: { id: 'c', model: 'm' }, workflowId: 'w' };
  const proof = proveRun(key, facts, 'a'.repeat(16));
  expect(verifyRunProof(key, facts, proof)).toBe('a'.repeat(16));
  for (const change of [{ sweep: 't' }, { planHash: 'i' }, { cell: { id: 'c', model: 'n' } }, { workflowId: 'x' }])
    expect(verifyRunProof(key, { ...facts, ...change }, proof)).toBeNull();
  expect(verifyRunProof(key, facts, proof.replaceAll('a', 'b'))).toBeNull();
  expect(verifySweepProof(key, { sweep: 's', planHash: 'h', order: facts.cell }, proof)).toBeNull();
});

test('the proof of an update is valid only for its sweep, verb and time', () => {
  const { at, proof } = proveOrder(key, { sweep: 's', verb: 'resume' }, 5);
  expect(at).toBe(5);
  expect(verifyOrderProof(key, { sweep: 's', verb: 'resume', at }, proof)).toBe(true);
  expect(verifyOrderProof(key, { sweep: 's', verb: 'goOn', at }, proof)).toBe(false);
  expect(verifyOrderProof(key, { sweep: 's', verb: 'resume', at: 6 }, proof)).toBe(false);
  expect(verifyOrderProof(key, { sweep: 't', verb: 'resume', at }, proof)).toBe(false);
});

test('the proof of a signal is valid only for its run, kind and number', () => {
  const facts = { workflowId: 'w', kind: 'parked', nth: 1 } as const;
  const proof = proveSignal(key, facts);
  expect(verifySignal(key, facts, proof)).toBe(true);
  for (const change of [{ workflowId: 'x' }, { kind: 'wake' as const }, { nth: 2 }])
    expect(verifySignal(key, { ...facts, ...change }, proof)).toBe(false);
});

test('a signed text is read back unchanged, only for its run and step, and any change of it is noticed', () => {
  const anyObject = fc.record({ result: fc.jsonValue(), at: fc.string({ unit: 'binary' }) });
  fc.assert(
    fc.property(anyObject, fc.nat(), fc.nat({ max: 255 }), (value, place, byte) => {
      const text = JSON.stringify(value);
      const signed = sign(key, 'run', 'gate 1', text);
      expect(JSON.parse(signed)).toMatchObject(JSON.parse(text) as object);
      expect(readSigned(key, 'run', 'gate 1', signed)).toBe(text);
      expect(readSigned(key, 'other', 'gate 1', signed)).toBeNull();
      expect(readSigned(key, 'run', 'gate 2', signed)).toBeNull();
      expect(readSigned(key, 'run', 'gate 1', text)).toBeNull();
      const bytes = Buffer.from(signed);
      bytes[place % bytes.length] = byte;
      const changed = bytes.toString();
      fc.pre(changed !== signed);
      expect(readSigned(key, 'run', 'gate 1', changed)).toBeNull();
    }),
  );
});
