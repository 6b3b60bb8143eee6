import { userInfo } from 'node:os';
import { UsageError } from '#lib';

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
 * job, or the user who is logged in. Null if nobody is known.
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
  return persons.find((name) => isShowable(name)) ?? login();
}

const isShowable = (name: string): boolean =>
  name.trim() !== '' && Array.from(name).length <= MAX_LENGTH && !/\p{Cc}/u.test(name);

function checked(name: string, from: string): string {
  if (isShowable(name)) return name.trim();
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
