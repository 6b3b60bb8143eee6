/** One simple command of a shell script: its text, and its words without quotes, redirections and comments. */
export interface SimpleCommand {
  /** The text of the command, with `$()` in place of each command substitution. */
  line: string;
  words: string[];
  /**
   * Its exit status may be that of the script: only `&&` follows. After a pipe or `;`, what follows sets the status.
   */
  decides: boolean;
}

/** Words that close a compound command, whose status is that of the commands in it. */
const CLOSERS = new Set(['done', 'fi', 'esac', '}']);

/** A level of the script: the script itself, or the inside of `$(...)`, `<(...)` or backticks. */
interface Level {
  end: ')' | '`' | null;
  parens: number;
  doubleQuoted: boolean;
  line: string;
  words: string[];
  /** null between two words; '' is an empty quoted word. */
  word: string | null;
  /** Set while the word being read belongs to a redirection: it is a file, or the delimiter of a here-document. */
  redirect: 'file' | 'heredoc' | null;
}

const REDIRECT = /&>>?|<<<|<<-?|[<>]&|>>|>\||<>|[<>]/y;
const PLAIN = /[^\\`$"'#\s;|&()<>]+/y;
const MAX_ARITHMETIC = 200;
const MAX_DEPTH = 50;

const newLevel = (end: Level['end']): Level => ({
  end,
  parens: 0,
  doubleQuoted: false,
  line: '',
  words: [],
  word: null,
  redirect: null,
});

/**
 * Returns the simple commands of a shell script, in the order in which they would be started. Splits at && || ; | & and
 * newlines outside quotes, enters command substitutions, and skips comments and the bodies of here-documents.
 * Understands only as much shell as it takes to find commands. Handles any text, in linear time.
 */
export function splitCommands(script: string): SimpleCommand[] {
  const commands: SimpleCommand[] = [];
  /** Index of the first command whose exit status may be that of the script. */
  let deciding = 0;
  /** The value of `deciding` as soon as another command follows. */
  let givenUp = 0;
  const outer: Level[] = [];
  let level = newLevel(null);
  let heredocs: string[] = [];
  let at = 0;

  const add = (text: string, source = text): void => {
    level.word = (level.word ?? '') + text;
    level.line += source;
  };
  const endWord = (): void => {
    if (level.word === null) return;
    if (level.redirect === null) level.words.push(level.word);
    else if (level.redirect === 'heredoc') heredocs.push(level.word);
    level.redirect = null;
    level.word = null;
  };
  const endCommand = (): void => {
    endWord();
    level.redirect = null;
    if (level.words.length > 0) {
      if (!CLOSERS.has(level.words[0] ?? '')) deciding = givenUp;
      commands.push({ line: level.line.trim(), words: level.words, decides: false });
    }
    level.words = [];
    level.line = '';
  };
  const enter = (end: ')' | '`', source: string): void => {
    add('$()');
    at += source.length;
    outer.push(level);
    level = newLevel(end);
  };
  const leave = (): void => {
    endCommand();
    level = outer.pop() ?? newLevel(null);
    at++;
  };
  const skipHeredocs = (): void => {
    for (const delimiter of heredocs) {
      while (at < script.length) {
        const found = script.indexOf('\n', at);
        const end = found === -1 ? script.length : found;
        const line = script.slice(at, end);
        at = end + 1;
        if (line.trim() === delimiter) break;
      }
    }
    heredocs = [];
  };
  /** Handles what has a meaning inside double quotes too: escaped characters, and the borders of a substitution. */
  const substitution = (char: string): boolean => {
    const next = script[at + 1];
    if (char === '\\') {
      if (next === '\n') level.line += ' ';
      else if (next !== undefined) add(next, char + next);
      at += 2;
    } else if (char === '`' && level.end === '`') leave();
    else if (char === ')' && level.end === ')' && level.parens === 0 && !level.doubleQuoted) leave();
    else if (char === '`' && outer.length < MAX_DEPTH) enter('`', char);
    else if (char === '$' && next === '(') {
      // `$((1 << 2))` is arithmetic: its signs are neither redirections nor commands.
      const arithmetic = script[at + 2] === '(' ? script.slice(at, at + MAX_ARITHMETIC).indexOf('))') : -1;
      if (arithmetic !== -1) {
        add(script.slice(at, at + arithmetic + 2));
        at += arithmetic + 2;
      } else if (outer.length < MAX_DEPTH) enter(')', '$(');
      else return false;
    } else return false;
    return true;
  };
  const redirection = (): boolean => {
    REDIRECT.lastIndex = at;
    const sign = REDIRECT.exec(script)?.[0];
    if (sign === undefined) return false;
    if (level.word !== null && /^\d+$/.test(level.word)) level.word = null;
    endWord();
    level.line += sign;
    at += sign.length;
    level.redirect = sign.startsWith('<<') && sign !== '<<<' ? 'heredoc' : 'file';
    if (script[at] === '(' && outer.length < MAX_DEPTH) enter(')', '(');
    return true;
  };

  while (at < script.length) {
    PLAIN.lastIndex = at;
    const plain = PLAIN.exec(script)?.[0];
    if (plain !== undefined) {
      add(plain);
      at += plain.length;
      continue;
    }
    const char = script.charAt(at);
    if (substitution(char)) continue;
    if (level.doubleQuoted) {
      if (char === '"') level.line += char;
      else add(char);
      level.doubleQuoted = char !== '"';
      at++;
      continue;
    }
    if ((char === '<' || char === '>' || char === '&') && redirection()) continue;
    at++;
    switch (char) {
      case '"':
        add('', char);
        level.doubleQuoted = true;
        break;
      case "'": {
        const close = script.indexOf("'", at);
        const end = close === -1 ? script.length : close;
        add(script.slice(at, end), script.slice(at - 1, end + 1));
        at = end + 1;
        break;
      }
      case '#': {
        if (level.word !== null) add(char);
        else {
          const newline = script.indexOf('\n', at);
          at = newline === -1 ? script.length : newline;
        }
        break;
      }
      case ' ':
      case '\t':
      case '\r':
        endWord();
        level.line += char;
        break;
      case '\n':
        endCommand();
        givenUp = commands.length;
        skipHeredocs();
        break;
      case ')':
        endCommand();
        level.parens = Math.max(0, level.parens - 1);
        break;
      case '(':
        endCommand();
        level.parens++;
        break;
      case ';':
      case '|':
        endCommand();
        givenUp = commands.length;
        break;
      case '&':
        endCommand();
        if (script[at] === '&') at++;
        else givenUp = commands.length;
        break;
      default:
        add(char);
    }
  }
  while (outer.length > 0) leave();
  endCommand();
  return commands.map((command, index) => ({ ...command, decides: index >= deciding }));
}
