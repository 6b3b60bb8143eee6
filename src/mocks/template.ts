/** A call of a mocked command. */
export interface MockCall {
  command: string;
  args: readonly string[];
  input: { stdin: string };
  context: { step: string; agent: string; scenario: string };
}

/** `${...}`, or `$${...}` for a literal `${...}`. */
const PLACEHOLDER = /\$(\$?)\{([^}]*)\}/g;

const ARGUMENT = /^args\[(\d+)\]$/;

const VALUES: Readonly<Record<string, (call: MockCall) => string>> = {
  'input.stdin': ({ input }) => input.stdin,
  'context.step': ({ context }) => context.step,
  'context.agent': ({ context }) => context.agent,
  'context.scenario': ({ context }) => context.scenario,
};

export const PLACEHOLDERS = ['args[0]', ...Object.keys(VALUES)].map((name) => `\${${name}}`).join(', ');

/** The placeholders of a template that stand for nothing, without `${` and `}`. */
export const unknownPlaceholders = (template: string): string[] =>
  namesIn(template).filter((name) => !ARGUMENT.test(name) && !Object.hasOwn(VALUES, name));

/** Whether a template contains standard input. */
export const containsInput = (template: string): boolean => namesIn(template).includes('input.stdin');

/** Fills in a template. A value is used as it is, even if it contains `${...}`. A missing argument is empty. */
export const fillTemplate = (template: string, call: MockCall): string =>
  template.replace(PLACEHOLDER, (_, escape: string, name: string) => {
    if (escape !== '') return `\${${name}}`;
    const index = ARGUMENT.exec(name)?.[1];
    return index === undefined ? (VALUES[name]?.(call) ?? '') : (call.args[Number(index)] ?? '');
  });

const namesIn = (template: string): string[] =>
  [...template.matchAll(PLACEHOLDER)].filter(([, escape]) => escape === '').map(([, , name = '']) => name);
