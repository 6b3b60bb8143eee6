// Imported only when a verb needs the server, because Temporal's client takes longer to load than everything else.
export { openSession } from '#client';
