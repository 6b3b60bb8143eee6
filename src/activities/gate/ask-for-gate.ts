import { composeGatePrompt, findObject, type GateQuestion } from '#gates';
import { collectVotes } from '../ask/collect-votes.js';
import type { Fence } from '../step/fence.js';
import type { RunContext } from '../step/run-context.js';

/** Asks a model for a gate. Its answers are kept under the name of the gate's step. `noteModel`: gets the model's name for itself. */
export async function askForGate<A>(
  context: RunContext,
  asker: string,
  { instructions, evidence, example, read, votes: wanted, ...form }: GateQuestion<A>,
  fence: Fence,
  signal: AbortSignal,
  noteModel: (name: string | null) => void,
): Promise<A[]> {
  const { redact } = context;
  const redacted = Object.entries(evidence).map(([name, text]) => [name, redact(text)] as const);
  const prompt = composeGatePrompt({
    instructions: redact(instructions),
    evidence: Object.fromEntries(redacted),
    example,
  });
  const { votes, answers } = await collectVotes(
    context,
    {
      asker,
      votes: wanted,
      form,
      prompt: () => Promise.resolve(prompt),
      read: (text) => {
        if (text.trim() === '') return { ok: false, problem: 'the answer is empty' };
        const found = findObject(text);
        return found === null
          ? { ok: false, problem: 'the answer is not exactly one JSON object' }
          : read(found);
      },
    },
    fence,
    signal,
  );
  noteModel(answers.at(-1)?.model_used ?? null);
  return votes;
}
