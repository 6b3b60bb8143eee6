/**
 * Returns the value of a key that the map itself has, or undefined. Names that users, agents and models choose are looked up this
 * way, so that `constructor` is not found in every map.
 */
export const ownValue = <T>(map: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined;
