import type { GateSpec } from '#gates';
import { shellWord } from '#lib';

/** True for input that contains the text, also over several lines. */
const contains = (text: string): string => `case "$(cat; echo .)" in *${shellWord(text)}*) ;; *) exit 1 ;; esac`;

/** A path in the workspace as a word that no program takes for an option. */
const path = (of: string): string => shellWord(`./${of}`);

/** Stops a command that takes too long, where there is a program for that. */
const limited = (command: string, secs: number): string =>
  `if command -v timeout >/dev/null; then timeout ${secs} sh -c ${shellWord(command)}; else sh -c ${shellWord(command)}; fi`;

/** A gate as a script for sh that succeeds if the gate passes; null for one that cannot be written so. */
export function checkScript(gate: GateSpec): string | null {
  // eslint-disable-next-line @typescript-eslint/switch-exhaustiveness-check -- a new gate cannot be written yet
  switch (gate.type) {
    case 'file_exists':
      return `[ -e ${path(gate.path)} ]`;
    case 'file_contains':
      return `[ -f ${path(gate.path)} ] && { ${contains(gate.substring)}; } <${path(gate.path)}`;
    case 'file_equals':
      return `cmp ${path(gate.path)} "$LLM_TOOL_TEST_CHECKS"/${shellWord(gate.expected)}`;
    case 'command_succeeds':
      return limited(gate.command, gate.timeout_secs);
    case 'command_exit_code_is':
      return `${limited(gate.command, gate.timeout_secs)}\n[ $? = ${gate.expected_code} ]`;
    case 'command_output_contains':
      return `out=$(${limited(gate.command, gate.timeout_secs)}; code=$?; echo .; exit $code) || exit 1\nprintf '%s\\n' "$out" | { ${contains(gate.substring)}; }`;
    default:
      return null;
  }
}
