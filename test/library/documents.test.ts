import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, expectTypeOf, test } from 'vitest';
import { documentTypes } from '../../scripts/types/documents.js';
import type * as library from '../../src/library/documents.js';
import type { Comparison } from '../../src/results/comparison/document.js';
import type { AgentEvent, EventBody, RunEvent } from '../../src/results/records/events.js';
import type { GateDetail, Metrics, Outcome } from '../../src/results/records/result-line.js';
import type { AgentRecord, CommandRecord, RunRecord } from '../../src/results/records/run-record.js';
import type { SweepCell, SweepDocument } from '../../src/results/records/sweep-document.js';
import type { TokenUsage } from '../../src/results/records/token-usage.js';
import { REPOSITORY } from '../commands/project.js';

test('the types of the library are generated from the schemas; else run: npm run schema', async () => {
  const file = join(REPOSITORY, 'src/library/documents.ts');
  expect(readFileSync(file, 'utf8')).toBe(await documentTypes());
});

test('each type of the library is that of its schema (checked by `npm run typecheck`)', () => {
  expectTypeOf<library.SweepDocument>().toEqualTypeOf<SweepDocument>();
  expectTypeOf<library.SweepCell>().toEqualTypeOf<SweepCell>();
  expectTypeOf<library.Outcome>().toEqualTypeOf<Outcome>();
  expectTypeOf<library.RunRecord>().toEqualTypeOf<RunRecord>();
  expectTypeOf<library.AgentRecord>().toEqualTypeOf<AgentRecord>();
  expectTypeOf<library.CommandRecord>().toEqualTypeOf<CommandRecord>();
  expectTypeOf<library.TokenUsage>().toEqualTypeOf<TokenUsage>();
  expectTypeOf<library.Metrics>().toEqualTypeOf<Metrics>();
  expectTypeOf<library.GateDetail>().toEqualTypeOf<GateDetail>();
  expectTypeOf<library.Comparison>().toEqualTypeOf<Comparison>();
  expectTypeOf<library.AgentEvent>().toEqualTypeOf<AgentEvent>();
  expectTypeOf<library.EventBody>().toEqualTypeOf<EventBody>();
  expectTypeOf<library.RunEvent>().toEqualTypeOf<RunEvent>();
});
