/** A property that does not hold. Anything else that a check throws is also a defect. */
class Violation extends Error {}

export function expect(holds, what, ...about) {
  if (!holds) throw new Violation([what, ...about.map((one) => JSON.stringify(one))].join(' '));
}

export const same = (a, b, what) => expect(JSON.stringify(a) === JSON.stringify(b), what);
