import { join } from 'node:path';
import type { Agent } from './agent.js';
import { textStream } from './command.js';
import { classifyByExit } from './failures/classify.js';
import { mock } from './mock.js';

/** HOME as the container has it: the solution and the tests of a task share it. */
const OWN_HOME = `HOME=$(awk -F: -v id="$(id -u)" '$3 == id { print $6; exit }' /etc/passwd)
[ -n "$HOME" ] || HOME=/
export HOME
unset TMPDIR`;

/** A background process that the solution leaves must not hold our output open. */
const SOLVE = `[ -f /solution/solve.sh ] || { echo 'the task has no solution/solve.sh' >&2; exit 127; }
${OWN_HOME}
log=/logs/agent/oracle.txt
if command -v bash >/dev/null; then bash -c /solution/solve.sh; else /solution/solve.sh; fi </dev/null >"$log" 2>&1
code=$?
tail -c 65536 "$log"
echo "solve.sh ended with exit status $code"
`;

const plain: Agent = {
  ...mock,
  program: 'sh',
  subject: 'it is no real agent',
  mcpProblem: 'it is no real agent',
  parser: textStream,
  classify: classifyByExit,
};

/** Runs the solution of a task folder, to show that the task can be solved. */
export const oracle: Agent = {
  ...plain,
  name: 'oracle',
  solvesTasks: true,
  launch({ config, solution }) {
    const script = join(config, 'oracle.sh');
    return {
      argv: ['sh', script],
      env: { ...solution?.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdin: '',
      files: [{ path: script, content: SOLVE }],
      fromChecks: [{ folder: solution?.folder ?? 'solution', to: '/solution' }],
    };
  },
};

/** Does nothing, to show that a task is not solved from the beginning. */
export const nop: Agent = {
  ...plain,
  name: 'nop',
  launch: () => ({ argv: ['sh', '-c', 'echo nothing was done'], env: {}, stdin: '', files: [] }),
};
