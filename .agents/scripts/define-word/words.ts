/** The words of this project, as its documents use them. */
export const words: ReadonlyMap<string, string> = new Map(
  Object.entries({
    scenario: 'One YAML file: target, task, setup, scripts, evaluation',
    fixture: "The folder that a scenario's workspace is copied from",
    workspace: 'The private copy of a fixture that one run works in',
    agent: 'The program under the prompt, such as claude-code, codex, opencode, gemini or mock',
    cell: 'One point of the matrix: scenario x agent x model x variant x repetition',
    run: 'One execution of a cell',
    sweep: 'A set of cells that are started together',
    gate: 'A check that passes or fails',
    evaluator: 'A script that measures',
    judge: 'An LLM that scores by a rubric',
    outcome: 'How a run ended: pass, fail, error (it could not be tested) or cancelled',
  }),
);
