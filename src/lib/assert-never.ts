/** Makes a switch exhaustive: adding a member to the union becomes a compile error at every switch. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
