/** Makes a switch exhaustive: a new member of the union is then a compile error at every such switch. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
