/**
 * Returns why a connection to a Temporal server can never succeed: its certificate or the login is rejected, judging by
 * the messages of the native client. null if the server may just be unreachable.
 */
export function connectionProblem(error: unknown): string | null {
  const texts: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) texts.push(cause.message);
  const text = texts.join(': ');
  if (
    /certificate|UnknownIssuer|NotValidForName|InvalidContentType|corrupt message|\btls\b|handshake/i.test(
      text,
    )
  )
    return tlsRefused(text);
  if (/unauthenticated|permission ?denied|unauthorized|invalid.*(api|auth).*(key|token)/i.test(text))
    return `the login was refused; check TEMPORAL_API_KEY and the rights in the namespace (${lastOf(text)})`;
  return null;
}

/** The message for a refused TLS connection. */
export const tlsRefused = (reason: string): string =>
  `the TLS connection was refused; check TEMPORAL_TLS and its certificates (${lastOf(reason)})`;

const lastOf = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 300);
