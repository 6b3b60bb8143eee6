import { userInfo } from 'node:os';
import { UsageError } from '#lib';
import type { Config } from '#scenario';

/** Variables in which CI services name the person who has started the job. */
const CI_PERSONS = [
  'GITHUB_ACTOR',
  'GITLAB_USER_LOGIN',
  'BUILDKITE_BUILD_CREATOR',
  'CIRCLE_USERNAME',
  'BUILD_REQUESTEDFOR', // Azure Pipelines
  'CHANGE_AUTHOR', // Jenkins
  'DRONE_COMMIT_AUTHOR',
];

const MAX_LENGTH = 100;

/**
 * Returns to whom a sweep belongs: the named person, the one of LLM_TOOL_TEST_OWNER, the person who has started the CI
 * job, or the user who is logged in. Null if nobody is known. Unicode forms of a name are one owner; case counts.
 *
 * @throws UsageError for a name that cannot be shown
 */
export function ownerOf(
  named: string | null,
  env: NodeJS.Dict<string>,
  login: () => string | null = loginName,
): string | null {
  const own = env['LLM_TOOL_TEST_OWNER'] ?? '';
  if (named !== null || own !== '') return checked(named ?? own, named === null ? 'LLM_TOOL_TEST_OWNER' : '--owner');
  const persons = (env['CI'] ?? '') === '' ? [] : CI_PERSONS.map((name) => env[name] ?? '');
  const found = persons.find((name) => isShowable(name)) ?? login();
  return found === null ? null : ownerName(found);
}

/** Returns a name as it is compared: keyboards, files and services write the same `é` in different forms. */
export const ownerName = (name: string): string => name.trim().normalize('NFC');

/** Returns the budget of an owner for a calendar month, US dollars; null if there is no limit. */
export const monthUsdOf = ({ budgets }: Pick<Config, 'budgets'>, owner: string | null): number | null =>
  Object.entries(budgets.owners).find(([name]) => ownerName(name) === owner)?.[1] ?? budgets.month_usd ?? null;

const isShowable = (name: string): boolean =>
  name.trim() !== '' && Array.from(name).length <= MAX_LENGTH && !/\p{Cc}/u.test(name);

function checked(name: string, from: string): string {
  if (isShowable(name)) return ownerName(name);
  throw new UsageError('usage', `${from}: expected a name of at most ${MAX_LENGTH} characters in one line`);
}

/** Null in a container whose user has no name. */
function loginName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}
