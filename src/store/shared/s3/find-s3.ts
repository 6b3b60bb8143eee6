import { createRequire } from 'node:module';
import { findPackage } from '../../../platform/find-package.js';
import { UsageError } from '../../../lib/errors/usage-error.js';

/** The package `@aws-sdk/client-s3`, an optional peer dependency. */
export type S3 = typeof import('@aws-sdk/client-s3');

const NAME = '@aws-sdk/client-s3';
const MAJOR = '3';

/** Loads the package as Node would find it from one of the folders. @throws UsageError if it is missing */
export function loadS3(folders: readonly string[]): S3 {
  const found = findPackage(NAME, folders);
  if (found?.version.split('.')[0] === MAJOR) {
    // Otherwise it prints a warning of five lines on versions of Node that later versions of it will not support.
    process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
    return createRequire(found.module)(NAME) as S3;
  }
  const why = found === null ? 'is not installed' : `is version ${found.version}, which is not supported`;
  throw new UsageError(
    'results_unwritable',
    `results in a bucket need the package ${NAME}, which ${why}; install it with npm install ${NAME}@${MAJOR}`,
  );
}
