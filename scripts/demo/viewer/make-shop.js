import { appendFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const own = fileURLToPath(new URL('.', import.meta.url));

const VARIANTS = `
matrix:
  repeat: 3
  variants:
    - name: bare
    - name: guided
      files:
        AGENTS.md: |
          # The stock

          Use the command \`stock\`; \`stock --help\` says how. What is marked as "not in the parcel" is not booked.
`;

/** @type {[from: string | RegExp, to: string][]} */
const DAMAGE = [
  ['name: stock_delivery', 'name: stock_damage'],
  ['description: Book a delivery', 'description: Take damaged goods out of the stock'],
  [/A parcel has come[^]*?says what that is\./, 'Two lamps arrived damaged: take the damaged ones out of the stock.'],
  ['substring: plugs', 'substring: lamps'],
  ['assertion: == 8', 'assertion: == 1'],
  ['Pieces: 30$', 'Pieces: 11$'],
];

/**
 * Turns a project made by `init` into one with two scenarios, two variants, and an agent that reports all that it does.
 * @param {string} project its folder
 */
export function makeShop(project) {
  const file = join(project, 'fixtures/stock_delivery.yaml');
  const delivery = readFileSync(file, 'utf8');
  const damage = DAMAGE.reduce((text, [from, to]) => text.replace(from, () => to), delivery);
  writeFileSync(file, delivery + VARIANTS);
  writeFileSync(join(project, 'fixtures/stock_damage.yaml'), damage + VARIANTS);
  cpSync(join(own, 'clerk.mjs'), join(project, 'clerk.mjs'));
  // Appended, because in TOML the root's values must come before tables.
  appendFileSync(join(project, 'llm-tool-test-config.toml'), `\n${readFileSync(join(own, 'agents.toml'), 'utf8')}`);
}
