/**
 * Splits arguments at white space, outside of quotes. There are no escapes, and nothing is expanded.
 * @param {string} text
 * @returns {string[]}
 */
export const splitWords = (text) =>
  [...text.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"]|['"])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double),
  );
