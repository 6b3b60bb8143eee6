import { join } from 'node:path';
import type { LaunchFile } from './agent.js';

/**
 * An extension of pi. For each piece of an answer, pi prints the whole answer so far, twice: gigabytes for a long one. No
 * option says otherwise. Of these lines, only the type is left.
 */
const SHORT_UPDATES = `const SHORTENED = new Set(['message_update', 'tool_execution_update']);
const { stringify } = JSON;

export default function () {
  JSON.stringify = (value, ...others) =>
    stringify(SHORTENED.has(value?.type) ? { type: value.type } : value, ...others);
}
`;

/**
 * An extension of pi. Its system prompt contains the AGENTS.md and CLAUDE.md of all folders above the workspace, which are the
 * user's own; the extension takes them out. If it cannot, it ends pi: a run must not depend on what its machine has there.
 */
const OWN_INSTRUCTIONS = `import { sep } from 'node:path';

const HEADING = '# Project Context\\n\\nProject-specific instructions and guidelines:\\n\\n';

export default function (pi) {
  pi.on('before_agent_start', ({ systemPrompt, systemPromptOptions }) => {
    try {
      return { systemPrompt: ofTheRun(systemPrompt, systemPromptOptions) };
    } catch (error) {
      console.error(\`the instructions in folders above the workspace cannot be left out: \${error.message}\`);
      process.exit(1);
    }
  });
}

function ofTheRun(systemPrompt, { cwd, contextFiles }) {
  const folders = [cwd, process.env.PI_CODING_AGENT_DIR];
  const isOfTheRun = ({ path }) => folders.some((folder) => path.startsWith(folder + sep));
  const above = contextFiles.filter((file) => !isOfTheRun(file));
  const texts = above.map(({ path, content }) => \`## \${path}\\n\\n\${content}\\n\\n\`);
  if (above.length === contextFiles.length && above.length > 0) texts.push(HEADING);
  return texts.reduce((prompt, text) => {
    const at = prompt.indexOf(text);
    if (at === -1) throw new Error('the system prompt does not contain them in the known form');
    return prompt.slice(0, at) + prompt.slice(at + text.length);
  }, systemPrompt);
}
`;

/** The extension that shortens what pi prints, as a file in pi's folder. */
export const shortUpdates = (config: string): LaunchFile => ({
  path: join(config, 'short-updates.js'),
  content: SHORT_UPDATES,
});

/** The extension that leaves the user's instructions out, as a file in pi's folder. */
export const ownInstructionsOnly = (config: string): LaunchFile => ({
  path: join(config, 'own-instructions-only.js'),
  content: OWN_INSTRUCTIONS,
});
