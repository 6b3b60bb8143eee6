import { expectTypeOf, test } from 'vitest';
import type * as built from '../../dist/types/index.js';
import type * as library from '../../src/library/index.js';

test('the types of the package are those of the schemas (checked by `npm run typecheck`, after `npm run build`)', () => {
  expectTypeOf<built.AgentEvent>().toEqualTypeOf<library.AgentEvent>();
  expectTypeOf<built.AgentRecord>().toEqualTypeOf<library.AgentRecord>();
  expectTypeOf<built.Calibration>().toEqualTypeOf<library.Calibration>();
  expectTypeOf<built.CommandRecord>().toEqualTypeOf<library.CommandRecord>();
  expectTypeOf<built.ComparedConfiguration>().toEqualTypeOf<library.ComparedConfiguration>();
  expectTypeOf<built.Comparison>().toEqualTypeOf<library.Comparison>();
  expectTypeOf<built.EventBody>().toEqualTypeOf<library.EventBody>();
  expectTypeOf<built.GateDetail>().toEqualTypeOf<library.GateDetail>();
  expectTypeOf<built.Json>().toEqualTypeOf<library.Json>();
  expectTypeOf<built.Metrics>().toEqualTypeOf<library.Metrics>();
  expectTypeOf<built.Outcome>().toEqualTypeOf<library.Outcome>();
  expectTypeOf<built.Ranking>().toEqualTypeOf<library.Ranking>();
  expectTypeOf<built.RunEvent>().toEqualTypeOf<library.RunEvent>();
  expectTypeOf<built.RunRecord>().toEqualTypeOf<library.RunRecord>();
  expectTypeOf<built.SweepCell>().toEqualTypeOf<library.SweepCell>();
  expectTypeOf<built.SweepDocument>().toEqualTypeOf<library.SweepDocument>();
  expectTypeOf<built.TokenUsage>().toEqualTypeOf<library.TokenUsage>();
});
