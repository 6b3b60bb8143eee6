import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A note about packages that are not bundled. npm installs their licences; only unusual ones are listed. */
const INSTALLED = `Not part of this bundle, and installed by npm with their own notices, as dependencies of the Temporal SDK's bundler or of
the command line's libraries:

caniuse-lite: CC-BY-4.0, data of caniuse.com
argparse: PSF-2.0
unionfs: its package.json declares none; its LICENSE file is the Unlicense
`;

/**
 * Returns the licences of the bundled packages, which must be distributed together with their code.
 * @param {string[]} modules paths of the bundled files
 */
export function licencesOf(modules) {
  const folders = modules.flatMap((path) => /^\/.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...[...new Set(folders)].map(licenceOf).sort(), INSTALLED].join('\n');
}

/** @param {string} folder the folder of a package */
function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)\b/i.test(file));
  if (files.length === 0) throw new Error(`${name} is bundled, and has no file that says its licence`);
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`${name} ${version} (${license})`, ...texts, ''].join('\n\n');
}
