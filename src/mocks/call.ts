import type { Json } from '#lib';

/** What a mock sees of a call, whatever it mocks. */
export interface Call {
  args: readonly Json[];
  input: Json;
  context: { readonly [name: string]: Json };
}

/** Which calls a mock answers. */
export interface When {
  args?: readonly Json[];
  partialArgs?: readonly Json[];
  input?: { readonly [name: string]: Json };
  context?: { readonly [name: string]: Json };
  matcher?: string;
}
