import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';

/** Files of a certificate and its key. */
export interface Pair {
  cert: string;
  key: string;
}

/** Creates certificates in a folder, by openssl. */
export interface Authority extends Pair {
  /** Creates a certificate that this authority has signed. `days` < 0: it has expired. */
  issue: (name: string, days?: number) => Promise<Pair>;
}

const openssl = (cwd: string, ...args: string[]) => execa('openssl', args, { cwd });

export async function createAuthority(folder: string, name: string): Promise<Authority> {
  const files = (of: string): Pair => ({ cert: join(folder, `${of}.pem`), key: join(folder, `${of}.key`) });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const own = files(name);
  await openssl(
    folder,
    'req',
    '-x509',
    ...newKey,
    '-subj',
    `/CN=${name}`,
    '-days',
    '30',
    '-keyout',
    own.key,
    '-out',
    own.cert,
  );
  return {
    ...own,
    issue: async (subject, days = 30) => {
      const pair = files(subject);
      const request = join(folder, `${subject}.csr`);
      const extensions = join(folder, `${subject}.ext`);
      writeFileSync(extensions, 'subjectAltName=IP:127.0.0.1,DNS:localhost\nbasicConstraints=CA:FALSE\n');
      await openssl(folder, 'req', ...newKey, '-subj', `/CN=${subject}`, '-keyout', pair.key, '-out', request);
      const dates = days < 0 ? ['-days', String(days)] : ['-days', String(days)];
      await openssl(
        folder,
        'x509',
        '-req',
        '-in',
        request,
        '-CA',
        own.cert,
        '-CAkey',
        own.key,
        '-CAcreateserial',
        '-extfile',
        extensions,
        '-out',
        pair.cert,
        ...dates,
      );
      return pair;
    },
  };
}

export const readPair = ({ cert, key }: Pair): Pair => ({
  cert: readFileSync(cert, 'utf8'),
  key: readFileSync(key, 'utf8'),
});
