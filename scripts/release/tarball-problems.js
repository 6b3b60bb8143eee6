/** The files of the package. */
const WANTED =
  /^(\.agents\/lib\/script\.ts|CHANGELOG\.md|LICENSE|README\.md|package\.json|dist\/.*\.(js|sh|pl|wasm)|dist\/types\/.*\.d\.ts|dist\/build-id|dist\/third-party-licences\.txt|dist\/viewer\/(index\.html|app\.css)|(fixtures|schema|specs|dist\/templates)\/.+)$/;
const NEVER = /(^|\/)(test|node_modules|\.tmp|llm-tool-test-results|\.env[^/]*|[^/]+\.map)(\/|$)/;
/** Some of the files that a package cannot do without. */
export const NEEDED = [
  'dist/cli.js',
  'dist/workflow-bundle.js',
  'dist/library.js',
  'dist/types/index.d.ts',
  'dist/build-id',
  'LICENSE',
  'specs/reference/commands.md',
];
/**
 * dist, specs, schema and fixtures are about 13 MB. 14 MB leaves room to grow, and is less than anything that must not
 * be included: a Temporal executable (100 MB), a results folder, node_modules.
 */
const MAX_BYTES = 14_000_000;
/** Private keys, and tokens of GitHub, npm, AWS, Anthropic and OpenAI, in their full length: examples are shorter. */
const SECRETS =
  /-----BEGIN [A-Z ]*PRIVATE KEY-----\n[A-Za-z0-9+/=\n]{100}|\bgh[pousr]_[A-Za-z0-9]{36}\b|\bnpm_[A-Za-z0-9]{36}\b|\bAKIA[A-Z0-9]{16}\b|\bsk-ant-[\w-]{80}|\bsk-(?:proj-)?[A-Za-z0-9]{48}/;

/**
 * Returns what is wrong with a package: files that do not belong in it or are missing, secrets, a `bin` that cannot be
 * started.
 * @param {{unpackedSize: number, files: {path: string, mode: number}[]}} packed what `npm pack --json` prints
 * @param {(path: string) => string} read returns the text of a packed file
 * @returns {string[]}
 */
export function tarballProblems({ unpackedSize, files }, read) {
  const paths = files.map(({ path }) => path);
  return [
    ...paths.filter((path) => !WANTED.test(path) || NEVER.test(path)).map((path) => `${path} does not belong in it`),
    ...NEEDED.filter((path) => !paths.includes(path)).map((path) => `${path} is missing`),
    ...paths.filter((path) => SECRETS.test(read(path))).map((path) => `${path} has what looks like a key or token`),
    ...files
      .filter(({ path, mode }) => path === 'dist/cli.js' && (mode & 0o111) === 0)
      .map(({ path }) => `${path} is not executable`),
    ...(unpackedSize < MAX_BYTES ? [] : [`it has ${unpackedSize} bytes; at most ${MAX_BYTES}`]),
  ];
}
