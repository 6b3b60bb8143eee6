import { gateKey, type ResultLine } from '#model';
import type { GateChange } from './document.js';

/** Returns the gates that pass more or less often than before, those that got worse most first. */
export function gateChanges(base: readonly ResultLine[], head: readonly ResultLine[]): GateChange[] {
  const [before, after] = [countGates(base), countGates(head)];
  const changes = [...after].flatMap(([gate, now]) => {
    const was = before.get(gate);
    if (was === undefined) return [];
    const by = now.passed / now.checked - was.passed / was.checked;
    const change = by > 0 ? ('better' as const) : ('worse' as const);
    return by === 0 ? [] : [{ by, found: { gate, base: was, head: now, change } }];
  });
  return changes.sort((a, b) => a.by - b.by).map(({ found }) => found);
}

/** Counts how often each gate was checked and passed. A gate that could not be checked is not counted. */
function countGates(lines: readonly ResultLine[]): Map<string, GateChange['base']> {
  const counts = new Map<string, GateChange['base']>();
  for (const detail of lines.flatMap((line) => line.metrics?.details ?? [])) {
    if (detail.status === 'error') continue;
    const count = counts.get(gateKey(detail)) ?? { passed: 0, checked: 0 };
    const passed = count.passed + (detail.status === 'pass' ? 1 : 0);
    counts.set(gateKey(detail), { passed, checked: count.checked + 1 });
  }
  return counts;
}
