import type { FileStat } from '#gates';
import { quoted } from './quoting.js';

/** Files up to this size, in bytes, are printed at once. */
const AT_ONCE = 1024 * 1024;

/** Script that prints what is at a path in a folder and, for a file of up to `limit` bytes, its content. */
export const lookScript = (folder: string, path: string, limit = AT_ONCE): string => `
export LC_ALL=C
[ ! -L ${quoted(folder)} ] && cd ${quoted(folder)} 2>/dev/null || { echo missing; exit; }
base=$(pwd -P) path=./${quoted(path)}
if [ ! -e "$path" ]; then
  case $(ls -Ld "$path" 2>&1) in
  *'symbolic link'*) echo unreadable ELOOP ;;
  *'too long'*) echo unreadable ENAMETOOLONG ;;
  *'ermission denied'*) echo unreadable EACCES ;;
  *) echo missing ;;
  esac
  exit
fi
real=$(readlink -f "$path")
case $real in "$base" | "$base"/*) ;; *) echo outside; exit ;; esac
if [ -d "$real" ]; then echo directory
elif [ ! -f "$real" ]; then echo unreadable neither file nor folder
elif [ ! -r "$real" ]; then echo unreadable EACCES
else
  bytes=$(wc -c <"$real")
  echo file $bytes
  [ "$bytes" -gt ${limit} ] || head -c ${limit} "$real"
fi`;

/** Parses what the script printed. `all` runs it again with the given limit. */
export function readLook(printed: Buffer, all: (limit: number) => Promise<Buffer | null>): FileStat {
  const { head, content } = splitHead(printed);
  const [kind, ...rest] = head.split(' ');
  switch (kind) {
    case 'directory':
    case 'outside':
      return { kind };
    case 'unreadable':
      return { kind, reason: rest.join(' ') };
    case 'file': {
      const bytes = Number(rest[0]);
      const read = async (): Promise<Buffer | null> => {
        if (bytes <= AT_ONCE) return content;
        const again = await all(bytes);
        return again === null ? null : splitHead(again).content;
      };
      return { kind, bytes, text: async () => utf8(await read()) };
    }
    case 'missing':
    case undefined:
    default:
      return { kind: 'missing' };
  }
}

function splitHead(printed: Buffer): { head: string; content: Buffer } {
  const end = printed.indexOf('\n');
  return { head: printed.subarray(0, end).toString(), content: printed.subarray(end + 1) };
}

function utf8(content: Buffer | null): string | null {
  try {
    return content === null
      ? null
      : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return null;
  }
}
