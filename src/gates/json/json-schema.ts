import { createRequire } from 'node:module';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json } from '#lib';

/** A JSON schema that was compiled, or why it cannot be. `problemOf` returns null for a value that fits. */
export type CompiledSchema = { ok: true; problemOf: (value: Json) => string | null } | { ok: false; message: string };

const SHOWN = 3;

/**
 * Compiles a JSON schema (draft 2020-12, or draft 7). An unknown keyword is an error, because a check that is
 * misspelled would pass. The library is loaded only when it is needed, because loading it takes longer than most
 * commands.
 */
export function compileJsonSchema(schema: Record<string, Json>): CompiledSchema {
  const require = createRequire(import.meta.url);
  const { Ajv2020: Ajv } = require('ajv/dist/2020.js') as { Ajv2020: typeof Ajv2020 };
  try {
    const ajv = new Ajv({ allErrors: true, logger: false, strictTypes: false, strictTuples: false });
    ajv.addMetaSchema(require('ajv/dist/refs/json-schema-draft-07.json') as object);
    const validate = ajv.compile(schema);
    return {
      ok: true,
      problemOf: (value) => {
        if (validate(value)) return null;
        const problems = (validate.errors ?? []).map(({ instancePath, message = 'does not fit' }) =>
          `${instancePath} ${message}`.trim(),
        );
        return problems.slice(0, SHOWN).join('; ');
      },
    };
  } catch (error) {
    return { ok: false, message: (error as Error).message.replace(/^strict mode: /, '') };
  }
}
