/** A page in HTML, to its end or to the end of the text. */
const PAGE = /<(?:!doctype html|html)\b[^]*?(?:<\/html>|$)/gi;

/** True if a page in HTML is in the text: a proxy, or the login page of a network, has answered a request to an API. */
export const hasPage = (text: string): boolean => text.search(PAGE) !== -1;

/** Returns the text without pages. */
export const withoutPages = (text: string): string => text.replace(PAGE, '');

/** Returns the text with only the title of each page in its place. */
export const pagesNamed = (text: string): string =>
  text.replace(PAGE, (page) => {
    const title = /<title[^>]*>([^<]*)/i.exec(page)?.[1]?.replace(/\s+/g, ' ').trim();
    return title === undefined || title === '' ? '(a page in HTML)' : `(a page in HTML: "${title}")`;
  });
