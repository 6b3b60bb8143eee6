/** Lines that agents print to stderr at every start or while they work. They never say why an agent ended. */
const NOISE: readonly RegExp[] = [
  /^Reading (?:additional input|prompt) from stdin/,
  /^YOLO mode is enabled/,
  /^Ripgrep is not available/,
  /color support|terminal with at least 256-color/i,
  /^\[STARTUP\]/,
  /^The 'metricReader' option is deprecated/,
  /^\(node:\d+\)/,
  /^\(Use `node --trace-/,
  /failed to record rollout items/,
  /^\S*Loaded cached credentials/,
  /^[\s{}[\]()]*$/,
  /^\s*at .+[:)]\d*\)?\s*\{?$/,
];

/** Lines that follow a message and belong to it: indented ones, and the version that Node prints at its end. */
const CONTINUES = /^\s|^Node\.js v\d/;

/** Returns the last message on stderr, with the lines that continue it; '' if there is none. */
export function lastMessage(stderr: string): string {
  const lines = meaningfulLines(stderr);
  const first = lines.findLastIndex((line) => !CONTINUES.test(line));
  return lines.slice(Math.max(0, first)).join('\n');
}

/** Returns the lines of stderr that may say why an agent ended. */
export const meaningfulLines = (stderr: string): string[] =>
  stderr.split('\n').filter((line) => line.trim() !== '' && !NOISE.some((noise) => noise.test(line)));
