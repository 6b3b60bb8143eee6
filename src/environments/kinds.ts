import { ownValue } from '#lib';
import { E2B_ADDRESSES, E2B_KEY, E2B_VARIABLES } from './e2b/service.js';

/** The variable that leads kubectl to its settings. It is no secret. */
export const KUBECONFIG = 'KUBECONFIG';

/** The facts about a kind of environment that are known without loading it. */
interface Kind {
  /** Set if its runs share no files and programs with this machine. */
  apart?: {
    place: 'container' | 'sandbox' | 'pod';
    /** Its origin, in general and as a scenario names it. */
    madeFrom: 'image' | 'template';
    nameOf: (wanted: { type: string; image?: string; build?: string }) => string;
  };
  /**
   * The variables that its runs take from the shell. `key`: the variable that must have a value, if there is one.
   * `addresses` are no secrets.
   */
  needs?: { key?: string; variables: readonly string[]; addresses: readonly string[] };
}

/** The kinds of environments, in the order of `doctor`. */
const KINDS = {
  local: {},
  bubblewrap: {},
  docker: { apart: { place: 'container', madeFrom: 'image', nameOf: ({ image, build = '' }) => image ?? build } },
  e2b: {
    apart: { place: 'sandbox', madeFrom: 'template', nameOf: () => 'the template' },
    needs: { key: E2B_KEY, variables: E2B_VARIABLES, addresses: E2B_ADDRESSES },
  },
  kubernetes: {
    apart: { place: 'pod', madeFrom: 'image', nameOf: ({ image = '' }) => image },
    needs: { variables: [KUBECONFIG], addresses: [KUBECONFIG] },
  },
} satisfies Record<string, Kind>;

export type EnvironmentType = keyof typeof KINDS;

const kindOf = ({ type }: { type: string }): Kind => ownValue<Kind>(KINDS, type) ?? {};

/**
 * The container or cloud sandbox in which the runs of a scenario's `environment` are; null if they use this machine's
 * files.
 */
export const apartFrom = (wanted: { type: string }): NonNullable<Kind['apart']> | null => kindOf(wanted).apart ?? null;

/** The names of the variables that runs in an environment take from the shell. */
export const variablesOfEnvironment = (wanted: { type: string }): readonly string[] =>
  kindOf(wanted).needs?.variables ?? [];

/** Returns the variables that its runs need and that have no value. */
export function missingInEnvironment(wanted: { type: string }, values: Readonly<Record<string, string>>): string[] {
  const { needs } = kindOf(wanted);
  return needs?.key === undefined || (values[needs.key] ?? '') !== '' ? [] : [needs.key];
}

/** Variables with addresses of services of environments. They are no secrets. */
export const environmentAddresses: readonly string[] = Object.values<Kind>(KINDS).flatMap(
  ({ needs }) => needs?.addresses ?? [],
);

/** True if agents here must not be able to read this machine's files: hosts refuse `local`, and commands replace it. */
export const requiresSandbox = (): boolean => process.env['LLM_TOOL_TEST_REQUIRE_SANDBOX'] === '1';
