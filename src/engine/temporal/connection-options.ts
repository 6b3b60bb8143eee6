import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { loadClientConfigProfile, toClientOptions, type ClientConnectConfig } from '@temporalio/envconfig';
import { defined, UsageError } from '#lib';

/** Where a Temporal server is. */
export interface TemporalAddress {
  address: string;
  namespace: string;
  /** Use TLS settings and keys of Temporal's own configuration (an external server), or a plain loopback connection. */
  external: boolean;
}

type ClientConnectionOptions = ClientConnectConfig['connectionOptions'];

/** The argument for connecting to a Temporal server. Both `Connection` and `NativeConnection` accept it. */
export interface ConnectionSettings extends Pick<ClientConnectionOptions, 'apiKey' | 'metadata' | 'tls'> {
  address: string;
}

/**
 * Returns how to connect to a server: address, certificates and API key. Temporal's own variables and configuration
 * file (`TEMPORAL_PROFILE`, `TEMPORAL_API_KEY`, `TEMPORAL_TLS_*`, ...) apply to an external server, never to the local
 * one. All files are read at each call, so keys and certificates can be replaced.
 *
 * @throws UsageError if the configuration, a certificate or a key cannot be used
 */
export function connectionOptions(
  { address, external }: Pick<TemporalAddress, 'address' | 'external'>,
  environment: NodeJS.Dict<string> = process.env,
): ConnectionSettings {
  if (!external) return { address };
  const { apiKey, metadata, tls } = loadTemporalConfig(environment).connectionOptions;
  return {
    address,
    ...defined({ apiKey, metadata }),
    ...(tls === undefined ? {} : { tls }),
  };
}

/** Reads Temporal's own variables and configuration file. @throws UsageError */
export function loadTemporalConfig(environment: NodeJS.Dict<string> = process.env): ClientConnectConfig {
  const variables = withoutEmpty(environment);
  const file = variables['TEMPORAL_CONFIG_FILE'];
  if (file !== undefined && !existsSync(file)) throw unusable(`TEMPORAL_CONFIG_FILE=${file} does not exist`);
  try {
    const profile = loadClientConfigProfile({ overrideEnvVars: variables });
    const { tls } = profile;
    if (tls !== undefined && (tls.clientCert === undefined) !== (tls.clientKey === undefined))
      throw new Error(
        `the client ${tls.clientKey === undefined ? 'certificate has no key' : 'key has no certificate'}`,
      );
    const config = toClientOptions(profile);
    checkPair(config.connectionOptions.tls);
    return config;
  } catch (error) {
    throw unusable(reasonOf(error as Error));
  }
}

/** An empty variable counts as not set: Compose passes on variables that way. In metadata, it removes a key. */
const withoutEmpty = (environment: NodeJS.Dict<string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && (entry[1] !== '' || entry[0].startsWith('TEMPORAL_GRPC_META_')),
    ),
  );

/** Finds what a server would only answer with a failed handshake. */
function checkPair(tls: ClientConnectionOptions['tls']): void {
  const pair = typeof tls === 'object' ? tls?.clientCertPair : undefined;
  if (pair === undefined) return;
  const certificate = parsed('certificate', () => new X509Certificate(pair.crt));
  const key = parsed('key', () => createPrivateKey(Buffer.from(pair.key)));
  const { validFrom, validTo, subject } = certificate;
  const name = `the client certificate (${subject.replaceAll(/\s+/g, ' ')})`;
  if (Date.parse(validTo) < Date.now()) throw new Error(`${name} has expired: it was valid until ${validTo}`);
  if (Date.parse(validFrom) > Date.now()) throw new Error(`${name} is not valid before ${validFrom}`);
  if (!certificate.checkPrivateKey(key)) throw new Error(`${name} does not match the client key`);
}

/** Without the parser's reason, which may quote the key. */
function parsed<T>(what: 'certificate' | 'key', parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new Error(`the client ${what} is not in PEM format, or is damaged`);
  }
}

/** A TOML parser's message quotes the lines around the error, one of which may hold the API key. */
function reasonOf(error: Error & { line?: unknown; column?: unknown }): string {
  return typeof error.line === 'number'
    ? `the configuration file is not valid TOML (line ${String(error.line)}, column ${String(error.column)})`
    : error.message;
}

const unusable = (problem: string): UsageError =>
  new UsageError(
    'temporal_config',
    `Temporal's own configuration cannot be used: ${problem}; correct the variables that begin with TEMPORAL_, or the configuration file`,
  );

/**
 * Returns the server from `flag`, or from Temporal's environment variables or configuration file; null if none is set.
 * @throws UsageError if that configuration cannot be used
 */
export function resolveTemporalAddress(
  flag?: string,
  environment: NodeJS.Dict<string> = process.env,
): TemporalAddress | null {
  const { connectionOptions, namespace } = loadTemporalConfig(environment);
  const address = flag ?? connectionOptions.address;
  return address === undefined || address === ''
    ? null
    : { address, namespace: namespace ?? 'default', external: true };
}
