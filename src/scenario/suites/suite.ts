/** One case of a suite that is imported: a prompt, and what is expected of the agent. */
export interface SuiteCase {
  /** As in the suite; a number for a case without an id. */
  id: string | number;
  prompt: string;
  /** The expected result, in words; absent if not given, or blank. */
  expected?: string;
  /** Statements about the result that must be true. */
  assertions: string[];
  /** Input files, relative to the skill's folder. */
  files: string[];
  /** True if the skill should be used; absent if not given. */
  shouldTrigger?: boolean;
  /** The tool that must be called; absent if not given. */
  tool?: string;
}

/** A suite of cases for a skill. */
export interface Suite {
  /** The skill that the suite names; null if it names none. */
  skill: string | null;
  cases: SuiteCase[];
  /** Keys of the file that say nothing about what is checked. */
  ignored: string[];
}
