// Counts the tokens that an agent needs to know about this repository's agent scripts: the prompt that tells it where
// to find them, compared with their schemas as an MCP server lists them (name, description and arguments, without
// output and errors). Uses the encoding o200k_base.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** @param {string} path */
const read = (path) => readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8');
const names = readdirSync(new URL('../.agents/scripts', import.meta.url));
const readmes = names.map((name) => read(`.agents/scripts/${name}/README.md`));

/** Returns the entry of `tools/list` for the same tool. @param {string} readme */
function toolOf(readme) {
  const [, name] = /^# (.+)/.exec(readme) ?? [];
  const [, summary] = /## Summary\n\n(.+)/.exec(readme) ?? [];
  const [, table = ''] = /## Arguments\n\n([^]*?)\n\n/.exec(readme) ?? [];
  const rows = table
    .split('\n')
    .slice(2)
    .map((row) => row.split('|').map((cell) => cell.trim()))
    .map(([, argument = '', required, description]) => ({
      argument: argument.replace(/^--/, ''),
      isRequired: required === 'yes',
      description,
    }));
  const properties = rows.map(({ argument, description }) => [argument, { type: 'string', description }]);
  const required = rows.filter(({ isRequired }) => isRequired).map(({ argument }) => argument);
  const inputSchema = { type: 'object', properties: Object.fromEntries(properties), required };
  return { name, description: summary, inputSchema };
}

const tools = readmes.map(toolOf);
const sizes = readmes.map((readme) => countTokens(readme)).toSorted((a, b) => a - b);
console.log(`${tools.length} tools`);
console.log(
  `prompt, always there:               ${countTokens(read('src/commands/templates/agent-scripts/prompt.md'))} tokens`,
);
console.log(`MCP schemas, always there:          ${countTokens(JSON.stringify({ tools }))} tokens`);
console.log(`ls, when tools are looked for:      ${countTokens(names.join('\n'))} tokens`);
console.log(`a README, when a tool is first used: ${sizes.at(0)} to ${sizes.at(-1)} tokens`);
