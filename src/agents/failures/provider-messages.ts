import type { FailureKind } from './causes.js';

/** One kind of message: a pattern for its words or structured code, and a real example with its source. */
export interface ProviderMessage {
  kind: FailureKind;
  pattern: RegExp;
  example: string;
  source: string;
}

const CODEX = 'openai/codex codex-rs/protocol/src/error.rs';
const CODEX_LOGIN = 'openai/codex codex-rs/login/src/auth/manager.rs';
const CODEX_STREAM = 'openai/codex codex-rs/codex-api/src/sse/responses.rs';
const CLAUDE = 'github.com/anthropics/claude-code/issues';
const GEMINI = 'google-gemini/gemini-cli packages';
const OPENCODE = 'github.com/anomalyco/opencode/issues';
const PI = 'badlogic/pi-mono packages';
const OPENAI_ERRORS = 'platform.openai.com/docs/guides/error-codes';
const CAPTURED = 'test/agents/captures';

/** The first pattern that matches counts, so specific ones come before general ones. */
export const PROVIDER_MESSAGES: readonly ProviderMessage[] = [
  {
    kind: 'policy',
    pattern: /possible cybersecurity risk|cyber_policy/i,
    example: 'This content was flagged for possible cybersecurity risk.',
    source: `${CODEX}: CyberPolicy`,
  },
  {
    kind: 'policy',
    pattern: /stop.?reason:? refusal|answer was withheld|model declined to respond/i,
    example: "API Error: Sonnet 4.5 can't help with this. (stop_reason: refusal)",
    source: `${CAPTURED}/claude-code-refusal`,
  },
  {
    kind: 'policy',
    pattern: /(?:content|misalignment|usage) policy violation/i,
    example: 'content policy violation',
    source: `${CODEX}: ContentPolicy`,
  },
  {
    kind: 'policy',
    pattern: /content.?filter/i,
    example: 'stream disconnected before completion: Incomplete response returned, reason: content_filter',
    source: CODEX_STREAM,
  },
  {
    kind: 'policy',
    pattern: /violat\w+ (?:our|the) usage polic/i,
    example: 'API Error: Claude Code is unable to respond to this request, which appears to violate our Usage Policy',
    source: `${CLAUDE}/50795`,
  },
  {
    kind: 'policy',
    pattern: /blocked due to (?:safety|recitation|prohibited)/i,
    example: 'The model response was blocked due to safety settings.',
    source: `${GEMINI}/core/src/utils/constants.ts`,
  },
  {
    kind: 'length',
    pattern: /max_output_tokens|output token maximum|truncated because it exceeded the token limit/i,
    example: "API Error: Claude's response exceeded the 32000 output token maximum.",
    source: `${CAPTURED}/claude-code-length`,
  },
  {
    kind: 'context',
    pattern: /token count.{0,20}exceeds/i,
    example: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    source: `${CAPTURED}/gemini-context-length`,
  },
  {
    kind: 'account',
    pattern: /usage_not_included|with your ChatGPT plan/i,
    example: 'To use Codex with your ChatGPT plan, upgrade to Plus: https://chatgpt.com/explore/plus.',
    source: `${CODEX}: UsageNotIncluded`,
  },
  {
    kind: 'account',
    pattern: /workspace is out of credits|credits_depleted/i,
    example: 'Your workspace is out of credits. Ask your workspace owner to refill in order to continue.',
    source: `${CODEX}: WorkspaceMemberCreditsDepleted`,
  },
  {
    kind: 'account',
    pattern: /(?:hit|reached) your spend cap/i,
    example: 'You hit your spend cap set in your workspace. Increase your spend cap to continue.',
    source: `${CODEX}: WorkspaceOwnerUsageLimitReached`,
  },
  {
    kind: 'account',
    pattern: /organization has (?:been )?disabled/i,
    example:
      'Your organization has disabled Claude subscription access for Claude Code · Use an Anthropic API key instead, or ask your admin to enable access',
    source: `${CLAUDE}/62722`,
  },
  {
    kind: 'account',
    pattern: /(?:organization|account) does not have access|oauth_org_not_allowed/i,
    example: 'Your organization does not have access to Claude. Please login again or contact your administrator.',
    source: `${CLAUDE}/47130`,
  },
  {
    kind: 'account',
    pattern: /(?:extra usage|usage credits) (?:(?:is|are) )?required/i,
    example: 'API Error: Extra usage is required for 1M context · enable extra usage at claude.ai/settings/usage',
    source: `${CLAUDE}/58730`,
  },
  {
    kind: 'account',
    pattern: /account\b.{0,40}(?:suspended|disabled|deactivated|banned)/i,
    example: 'This account has been suspended for violation of Terms of Service.',
    source: `${GEMINI}/core/src/utils/errors.ts: AccountSuspendedError`,
  },
  {
    kind: 'account',
    pattern: /GOOGLE_CLOUD_PROJECT|not eligible|VALIDATION_REQUIRED|verify your account/i,
    example: 'This account requires setting the GOOGLE_CLOUD_PROJECT or GOOGLE_CLOUD_PROJECT_ID env var.',
    source: `${GEMINI}/core/src/code_assist/setup.ts`,
  },
  {
    kind: 'auth',
    pattern: /token could not be refreshed|refresh.?token.{0,30}(?:expired|revoked|reused|already used|invalid)/i,
    example:
      'Your access token could not be refreshed because your refresh token was revoked. Please log out and sign in again.',
    source: `${CODEX_LOGIN}: REFRESH_TOKEN_INVALIDATED_MESSAGE`,
  },
  {
    kind: 'auth',
    pattern: /(?:oauth|access|auth).?token.{0,30}(?:expired|revoked|invalid)|token_(?:expired|revoked)/i,
    example: 'OAuth token revoked · Please run /login',
    source: `${CLAUDE}/9635`,
  },
  {
    kind: 'auth',
    pattern: /key not valid|API_KEY_INVALID/i,
    example: 'API key not valid. Please pass a valid API key.',
    source: `${CAPTURED}/gemini-bad-key`,
  },
  {
    kind: 'auth',
    pattern: /no (?:api )?key (?:found )?for|set an auth method|missing environment variable.{0,40}(?:key|token)/i,
    example: 'No API key found for "openai". Set an API key environment variable or run \'/login openai\'.',
    source: `${PI}/coding-agent/src/core/sdk.ts`,
  },
  {
    kind: 'limit',
    pattern: /exhausted your/i,
    example: 'You have exhausted your daily quota on this model.',
    source: `${GEMINI}/core/src/utils/googleQuotaErrors.ts`,
  },
  {
    kind: 'busy',
    pattern:
      /at capacity|server had an error|without a finish reason|model stream ended|no usable completion|^terminated$|: terminated\b/i,
    example: 'Selected model is at capacity. Please try a different model.',
    source: `${CODEX}: ServerOverloaded`,
  },
  {
    kind: 'refused',
    pattern:
      /does not exist or you do not have access|not found for API version|model is not supported|input exceeds the maximum length|^internal error: not found$/i,
    example: 'The model `gpt-9` does not exist or you do not have access to it.',
    source: `${CAPTURED}/codex-model-not-found`,
  },
  {
    kind: 'context',
    pattern: /context.{0,20}(?:length|window)|(?:prompt is|context) too long|maximum context/i,
    example:
      "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
    source: `${CODEX}: ContextWindowExceeded`,
  },
  {
    kind: 'limit',
    pattern:
      /(?<!not your )usage.?limit|usage exceeded|session limit|weekly limit|spend limit|(?<!rate )(?<!thread )limit reached|(?:hit|reached) your (?:\w+ ){0,3}limit|out of (?:extra )?usage/i,
    example: "You've hit your usage limit. Upgrade to Plus to continue using Codex, or try again at 3:04 PM.",
    source: `${CODEX}: UsageLimitReachedError`,
  },
  {
    kind: 'account',
    pattern: /credit balance|insufficient.{0,10}(?:quota|credit|fund|balance)|billing|exceeded your current quota/i,
    example: 'Credit balance is too low',
    source: `${CLAUDE}/867, ${OPENCODE}/28018, ${OPENAI_ERRORS}`,
  },
  {
    kind: 'auth',
    pattern:
      /invalid.{0,20}(?:api.?)?key|incorrect api key|authenticat|unauthorized|not logged in|login required|\/login|sign in again|log ?in again/i,
    example: 'Invalid API key · Please run /login',
    source: `${CLAUDE}/6331, ${CAPTURED}/claude-code-bad-key`,
  },
  {
    kind: 'busy',
    pattern:
      /rate.?limit|too many requests|overloaded|high demand|unavailable|server.error|bad gateway|gateway time.?out|temporarily limiting|resource has been exhausted/i,
    example: "We're currently experiencing high demand, which may cause temporary errors.",
    source: `${CODEX}: InternalServerError`,
  },
  {
    kind: 'page',
    pattern:
      /unexpected token '?<|malformed response|chunk improperly formatted|invalid json response|incomplete json segment/i,
    example: 'API returned an empty or malformed response (HTTP 200) — check for a proxy or gateway',
    source: `${CAPTURED}/claude-code-page-200`,
  },
  {
    kind: 'busy',
    pattern: /stream (?:disconnected|error)/i,
    example: 'stream disconnected before completion: stream closed before response.completed',
    source: `${CODEX}: Stream`,
  },
  {
    kind: 'network',
    pattern:
      /\b(?:ECONN(?:REFUSED|RESET|ABORTED)|ETIMEDOUT|E(?:HOST|NET)(?:UNREACH|DOWN)|EPIPE|EPROTO|EAI_[A-Z]+|ENOTFOUND|UND_ERR_[A-Z_]+)\b/,
    example: 'API Error: Connection to the API was lost (ECONNRESET).',
    source: `${CAPTURED}/claude-code-reset`,
  },
  {
    kind: 'network',
    pattern:
      /\b(?:ERR_(?:SSL|TLS)_\w+|CERT_[A-Z_]+|UNABLE_TO_(?:VERIFY|GET)_[A-Z_]+|(?:DEPTH_ZERO_)?SELF_SIGNED_CERT\w*)\b|certificate (?:has expired|verify failed|is not yet valid|required)|(?:self.signed|local issuer|peer|unknown) certificate|tls handshake|invalid peer certificate|ssl.{0,20}wrong.version.number/i,
    example: 'unable to get local issuer certificate',
    source: 'nodejs.org/api/tls.html#x509-certificate-error-codes',
  },
  {
    kind: 'network',
    pattern:
      /socket hang up|peer closed connection|socket connection was closed|unable to connect|cannot connect to api|operation timed out|other side closed|premature close|waiting for network|no route to host|(?:network|host) is (?:unreachable|down)|broken pipe/i,
    example: 'The socket connection was closed unexpectedly.',
    source: 'oven-sh/bun src/bun.js/webcore/response.zig',
  },
  {
    kind: 'network',
    pattern:
      /getaddrinfo|could not resolve host|name or service not known|name resolution|dns (?:error|lookup)|failed to lookup address/i,
    example: 'Temporary failure in name resolution',
    source: 'glibc: gai_strerror',
  },
  {
    kind: 'network',
    pattern:
      /connection (?:error|refused|reset|failed|aborted|lost|closed|dropped|timed out)|(?:network|fetch|request) (?:error|failed|timed out)|error sending request/i,
    example: 'Connection failed: error sending request',
    source: `${CODEX}: ConnectionFailedError`,
  },
];

/**
 * Words that are typical of account failures with any provider. They prove nothing, but it is better not to count a run
 * than to count it against the tool under test.
 */
export const ACCOUNT_WORDS =
  /\b40[123]\b|\bplans?\b|\bcredits?\b|\bbilling\b|\bpayment\b|\bsign(?:ed)?[ -]?(?:in|out)\b|\blog(?:ged)?[ -]?(?:in|out)\b|\bsubscri(?:be|ption)|\bquota\b|\bupgrade (?:to|your)\b|\bforbidden\b/i;

/**
 * Errors of others than the provider, in which the words of the table mean something else: servers under test, for
 * example.
 */
export const OF_OTHERS = /\bMCP\b/i;
