/** The parts of the system prompt that differ from run to run. */
export interface PromptParts {
  /** Absolute path of the workspace. */
  workspace: string;
  /** Texts of AGENTS.md: under test, and in the workspace. */
  instructions: readonly string[];
  /** Skills under test, and the absolute path of the SKILL.md of each. */
  skills: readonly { name: string; description: string; path: string }[];
  /** The text that the scenario's scripts add; null for none. */
  added: string | null;
}

/**
 * The system prompt of `loop`, the same for every model: the tool or skill under test is used without anyone's product
 * around it. specs/reference/loop.md shows it.
 */
export function systemPrompt({ workspace, instructions, skills, added }: PromptParts): string {
  const parts = [
    `You are an agent that does tasks on a computer, by yourself: nobody answers questions, and nobody approves steps.
Your working folder is ${workspace}. Use your tools to look at it, to run programs and to change files.
Find out how a program is used before you rely on it; its --help usually says so.
Check what you have done before you finish. When the task is done, or you cannot do it, say so in a short message without calling a tool. That ends your work.`,
    ...instructions.map((text) => `# Instructions (AGENTS.md)\n\n${text.trim()}`),
    ...(skills.length === 0
      ? []
      : [
          `# Skills\n\nBefore you do something that a skill is about, read its file.\n\n${skills
            .map(({ name, description, path }) => `- ${name}: ${description} (${path})`)
            .join('\n')}`,
        ]),
    ...(added === null ? [] : [added.trim()]),
  ];
  return parts.join('\n\n');
}
