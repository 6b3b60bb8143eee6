/**
 * Returns what keeps a tag from being released: it must name the version of the package, and that version must have a
 * dated section in the changelog.
 * @param {{tag: string, version: string, changelog: string}} release
 * @returns {string[]}
 */
export function releaseProblems({ tag, version, changelog }) {
  const section = changelog.split('\n').find((line) => line.startsWith(`## [${version}]`));
  return [
    ...(tag === `v${version}` ? [] : [`the tag is ${tag}, but the version in package.json is ${version}`]),
    ...(section === undefined
      ? [`CHANGELOG.md has no section ## [${version}]`]
      : / - \d{4}-\d\d-\d\d$/.test(section)
        ? []
        : [`the section in CHANGELOG.md has no date: ${section}`]),
  ];
}
