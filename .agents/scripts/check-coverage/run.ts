import { fail, main, settings } from '../../lib/script.ts';
import { filesNamed, parseLcov, summarize } from '../../lib/lcov.ts';

const NAMED_AT_MOST = 10;

main({ '<source-file>': 'string', '--file': 'string' }, ({ 'source-file': name, file }) => {
  const path = file ?? settings('check-coverage', { file: 'string' }).file ?? 'coverage/coverage.info';
  const files = parseLcov(readCoverage(path));
  if (files.size === 0) fail('COVERAGE_EMPTY', `${path} tells of no source file`);
  const [found, ...others] = filesNamed(files, name);
  if (found === undefined) {
    const alike = filesNamed(files, name.split('/').at(-1) ?? '');
    const hint = alike.length > 0 ? `, but of ${list(alike)}` : '';
    return fail('FILE_NOT_COVERED', `${path} tells nothing of ${name}${hint}`);
  }
  if (others.length > 0) fail('AMBIGUOUS_FILE', `${name} may be ${list([found, ...others])}`);
  return summarize(found);
});

function readCoverage(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return fail('COVERAGE_NOT_FOUND', `${path} cannot be read: ${(error as Error).message}`);
  }
}

function list(files: readonly { file: string }[]): string {
  const names = files.slice(0, NAMED_AT_MOST).map(({ file }) => file);
  const more = files.length - names.length;
  return names.join(', ') + (more > 0 ? ` and ${more} more` : '');
}
