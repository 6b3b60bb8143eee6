import type { Json } from '../../src/lib/json.js';

interface Asked {
  instructions: string;
  /** Recorded texts by name. */
  evidence: Record<string, string>;
}

/** A message in a request to a provider. */
interface Message {
  role: string;
  content: string | { text: string }[];
}

/** Reads a question of a gate as a provider that is compatible with OpenAI gets it, or OpenAI itself. */
export function questionIn(body: string): Asked {
  const { messages, input = [] } = JSON.parse(body) as Partial<Record<'messages' | 'input', Message[]>>;
  const contentOf = (isSystem: boolean): string => {
    const found = (messages ?? input).find(({ role }) => (role !== 'user') === isSystem);
    const { content = '' } = found ?? {};
    return typeof content === 'string' ? content : content.map(({ text }) => text).join('');
  };
  const sections = [...contentOf(false).matchAll(/^BEGIN (\w+) (.*)\n([^]*?)\nEND \1 \2$/gm)];
  return {
    instructions: contentOf(true),
    evidence: Object.fromEntries(sections.map(([, , name = '', text = '']) => [name, text])),
  };
}

/** True if the evidence has every text that a criterion has in double quotes. */
const isMet = (criterion: string, text: string): boolean =>
  [...criterion.matchAll(/"([^"]+)"/g)].every(([, wanted = '']) => text.includes(wanted));

/** The items of the first list in a text. */
const itemsIn = (text: string): string[] => [...text.matchAll(/^- (.*)$/gm)].map(([, item = '']) => item);

/** Answers the questions of gates by simple rules, from the evidence alone. */
export function answerQuestion(body: string): string {
  const { instructions, evidence } = questionIn(body);
  const [asked = ''] = instructions.split('\nRules:');
  const all = Object.values(evidence).join('\n');
  if (asked.includes('You play the user')) return 'Is milk on the list? Thanks.';
  return JSON.stringify(answerTo(asked, all));
}

function answerTo(asked: string, evidence: string): Json {
  if (asked.includes('meets this criterion')) {
    const capabilities = asked.includes('these capabilities') ? itemsIn(asked) : [];
    const checklist = capabilities.map((capability) => ({
      capability,
      reasoning: 'read the evidence',
      achieved: isMet(capability, evidence),
    }));
    const [, criterion = ''] = asked.split('\n\n');
    const success = checklist.length === 0 ? isMet(criterion, evidence) : checklist.every(({ achieved }) => achieved);
    return {
      qualitative_summary: success ? 'The evidence shows it.' : 'The evidence does not show it.',
      capability_checklist: checklist,
      confidence: success ? 0.9 : 0.2,
      overall_success: success,
      tone: 'kind',
    };
  }
  if (asked.includes('these patterns'))
    return {
      patterns: itemsIn(asked).map((line) => {
        const [pattern = ''] = line.split(':');
        const present = pattern === 'problem_then_solution' && evidence.includes('milk');
        return { pattern, reasoning: 'turn 1', present };
      }),
    };
  if (asked.includes('what an agent remembers'))
    return {
      tests: itemsIn(asked).map((line) => {
        const [, quoted = '""', turn = '0'] = /^(".*") in turn (\d+)$/.exec(line) ?? [];
        const item = JSON.parse(quoted) as string;
        const [, said = ''] = new RegExp(`^Turn ${turn}:\nUser: .*\nAgent: (.*)`, 'm').exec(evidence) ?? [];
        return { item, turn: Number(turn), reasoning: said, aware: said.includes(item) };
      }),
    };
  const [, question = ''] = asked.split('\n\n');
  if (asked.includes('whether it should end'))
    return { answer: isMet(question, evidence) ? 'yes' : 'no', confidence: 0.9, reason: 'read it' };
  if (asked.includes('satisfied'))
    return { reasoning: 'They said so.', satisfaction: /Thanks/.test(evidence) ? 0.9 : 0.3 };
  return 'I do not understand.';
}
