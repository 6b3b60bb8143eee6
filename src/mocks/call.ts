import type { Json } from '#lib';

/** A call as a mock sees it, whatever it mocks. */
export interface Call {
  args: readonly Json[];
  input: Json;
  context: { readonly [name: string]: Json };
}

/** The calls that a mock answers. */
export interface When {
  args?: readonly Json[];
  partialArgs?: readonly Json[];
  input?: { readonly [name: string]: Json };
  context?: { readonly [name: string]: Json };
  matcher?: string;
}
