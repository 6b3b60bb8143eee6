import { beginningOf, StoreAway, UsageError } from '#lib';

/** The permissions that a host needs in the bucket, as AWS calls them. */
const PERMISSIONS = 's3:ListBucket, s3:GetObject, s3:PutObject and s3:DeleteObject';
const MESSAGE_LENGTH = 300;

interface S3Failure {
  name: string;
  message: string;
  $metadata?: { httpStatusCode?: number | undefined };
}

const asFailure = (error: unknown): S3Failure =>
  error instanceof Error ? error : { name: '', message: String(error) };

/** The HTTP status of an answer of the server; undefined if there was none. */
export const statusOf = (error: unknown): number | undefined => asFailure(error).$metadata?.httpStatusCode;

/** True if the object does not exist. A bucket that does not exist is an error. */
export const isNotThere = (error: unknown): boolean =>
  statusOf(error) === 404 && ['NoSuchKey', 'NotFound'].includes(asFailure(error).name);

/** Remedies for errors that a person causes, by their names. */
const REMEDIES: Record<string, (bucket: string) => string> = {
  CredentialsProviderError: () => 'no AWS credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
  NoSuchBucket: (bucket) => `there is no bucket ${bucket}; create it, or correct its name`,
  InvalidBucketName: (bucket) => `${bucket} is not a valid bucket name; correct it`,
  AccessDenied: () => `access denied; these permissions are needed: ${PERMISSIONS}`,
  InvalidAccessKeyId: () => 'the server does not know the access key; correct AWS_ACCESS_KEY_ID',
  SignatureDoesNotMatch: () => 'the secret key does not match the access key; correct AWS_SECRET_ACCESS_KEY',
  ExpiredToken: () => 'the credentials have expired; get new ones',
  ExpiredTokenException: () => 'the credentials have expired; get new ones',
  RequestTimeTooSkewed: () => "this machine's clock differs too much from the server's; correct it",
  PermanentRedirect: () => 'the bucket is in another region; set AWS_REGION to its region',
  AuthorizationHeaderMalformed: () => 'the bucket is in another region; set AWS_REGION to its region',
};

/** Returns what a person can do about an error; undefined if it is not theirs to fix. */
function remedyFor(error: unknown, bucket = ''): string | undefined {
  const { name, message } = asFailure(error);
  return /region is missing/i.test(message)
    ? 'no AWS region; set AWS_REGION, or the region of the profile'
    : REMEDIES[name]?.(bucket);
}

/** True if a request may succeed when it is repeated: after a conflict, or a failure of the server or the network. */
export function isWorthRepeating(error: unknown): boolean {
  const status = statusOf(error) ?? 0;
  return remedyFor(error) === undefined && (status < 400 || status >= 500 || status === 409 || status === 429);
}

/** Errors that only a change of what is stored can remedy. */
const FINAL: Record<string, string> = {
  EntityTooLarge: 'a packed folder of a run is larger than the server accepts (5 GiB)',
};

/** True for an error of a local file or program, which work for the server may use. */
const isLocal = (error: unknown): error is Error =>
  error instanceof Error && (error.name === 'ExecaError' || 'path' in error);

/** Returns an error that says which place could not be used, why, and what to do about it. */
export function explainedS3(error: unknown, location: string, bucket: string): Error {
  if (error instanceof UsageError || isLocal(error)) return error;
  const { name, message } = asFailure(error);
  const why = remedyFor(error, bucket);
  if (why !== undefined) return new UsageError('results_unwritable', `cannot use ${location}: ${why}`);
  const final = FINAL[name];
  if (final !== undefined) return new Error(`cannot use ${location}: ${final}`);
  const reason = [name, message].filter((part) => part !== '' && part !== 'Error').join(': ');
  return new StoreAway(`cannot reach ${location}: ${beginningOf(reason, MESSAGE_LENGTH)}`);
}
