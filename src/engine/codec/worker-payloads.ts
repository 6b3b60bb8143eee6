import { readFileSync } from 'node:fs';
import type { WorkerOptions } from '@temporalio/worker';
import { packageFile } from '#host';
import { readCodecKeys } from './codec-keys.js';
import { dataConverter } from './encrypting-codec.js';

/**
 * The workflows, and how a worker encodes what they and activities send. With keys, messages of failures are encoded
 * too.
 *
 * @throws UsageError if the key file cannot be used
 */
export function workerPayloads(): Pick<WorkerOptions, 'dataConverter' | 'workflowBundle'> {
  const codePath = packageFile('dist/workflow-bundle.js');
  if (readCodecKeys().length === 0) return { dataConverter: dataConverter(), workflowBundle: { codePath } };
  return {
    dataConverter: { ...dataConverter(), failureConverterPath: packageFile('dist/failure-converter.js') },
    // Workflows cannot read the environment; src/workflows/converters.ts reads this.
    workflowBundle: { code: `globalThis.encodesFailures=true;${readFileSync(codePath, 'utf8')}` },
  };
}
