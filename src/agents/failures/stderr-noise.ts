/** Lines that agents print to stderr at every start or while they work. They never say why an agent ended. */
const NOISE: readonly RegExp[] = [
  /^Reading (?:additional input|prompt) from stdin/,
  /^YOLO mode is enabled/,
  /^Ripgrep is not available/,
  /color support|terminal with at least 256-color/i,
  /^\[STARTUP\]/,
  /^\(node:\d+\)/,
  /^\(Use `node --trace-/,
  /failed to record rollout items/,
  /^\S*Loaded cached credentials/,
  /^[\s{}[\]()]*$/,
  /^\s*at .+[:)]\d*\)?\s*\{?$/,
];

/** Returns the lines of stderr that may say why an agent ended. */
export const meaningfulLines = (stderr: string): string[] =>
  stderr.split('\n').filter((line) => line.trim() !== '' && !NOISE.some((noise) => noise.test(line)));
