import { quoted } from '../machine/machine.js';
import { assertPacked } from '../machine/scripts.js';
import { PLACE, USED } from './pod-manifest.js';

/**
 * Arguments for sh that run a script so that its end is proven: `kubectl exec` ends with success when the kubelet is
 * restarted, and while the script goes on. The script comes on standard input, where nobody can read it, and counts
 * only as a whole. `given`: the script itself, if standard input is for the script to read.
 */
export const provenArgs = (token: string, given?: string): string[] => [
  ...['sh', '-c', given === undefined ? READ : GIVEN, token, ...(given === undefined ? [] : [given])],
];

const PROOF = `trap 'status=$?; printf "%s %s\\n" "$0" $status; printf "%s %s\\n" "$0" $status >&2; trap "" EXIT; exit 0' EXIT
printf %s "$0" >&2; : >${quoted(USED)}`;
const READ = `script=$(cat)
case $script in *"#$0") ;; *) exit 75 ;; esac
${PROOF}
eval "$script"`;
const GIVEN = `${PROOF}
eval "$1"`;

/** The script as it is sent. */
export const markedScript = (token: string, script: string): string => `${script}\n#${token}`;

const END = (token: string): RegExp => new RegExp(`${token} (\\d+)\\n$`);

/** Returns the output of a script on a stream, and its exit status; null if its end did not come. */
export function readProven(token: string, printed: Buffer): { exitCode: number; output: Buffer } | null {
  const tail = END(token).exec(printed.subarray(-token.length - 8).toString('latin1'));
  return tail === null
    ? null
    : { exitCode: Number(tail[1]), output: printed.subarray(0, printed.length - tail[0].length) };
}

/** The same for standard error, before which kubectl may have printed something. */
export function readProvenErrors(token: string, printed: string): string | null {
  const bytes = Buffer.from(printed);
  const begin = bytes.indexOf(token);
  const from = bytes.subarray(begin + token.length);
  // Something of kubectl may also follow.
  const end = from.lastIndexOf(`${token} `);
  return begin === -1 || end === -1 ? null : from.subarray(0, end).toString();
}

/** Where a command keeps its claim, its output and its exit status. */
const folderOf = (id: string): string => `${PLACE}/commands/${id}`;

/**
 * Becomes the supervisor of a command, unless there is one. It outlives the exec that has started it, keeps the first
 * `$1` bytes of each output and counts the rest, and writes the exit status last. Processes that hold the output open
 * after the end of the command are not waited for.
 */
const SUPERVISE = `cd "$0" && mkdir claim 2>/dev/null || exit 0
echo $$ >pid
mkfifo o1 o2 e1 e2
exec 4<>o1 5<>e1
cat <o1 >o2 4>&- 5>&- & cat1=$!
cat <e1 >e2 4>&- 5>&- & cat2=$!
{ head -c "$1"; wc -c >out.more; } <o2 >out 4>&- 5>&- &
{ head -c "$1"; wc -c >err.more; } <e2 >err 4>&- 5>&- &
(cd / && exec sh "$0/script" 4>&- 5>&-) >&4 2>&5
status=$?
exec 4>&- 5>&-
round=0
while { kill -0 $cat1 || kill -0 $cat2; } 2>/dev/null && [ $round -lt 10 ]; do sleep 0.02; round=$((round + 1)); done
kill -KILL $cat1 $cat2 2>/dev/null
wait
echo $status >exit.new && mv exit.new exit`;

/** Script that starts a command, unless it was started before. */
export const startCommandScript = (id: string, script: string, cap: number): string => `
folder=${quoted(folderOf(id))}
mkdir -p "$folder" && chmod 700 "$folder" || exit 1
[ -e "$folder/claim" ] || {
  printf %s ${quoted(script)} >"$folder/script.$$" && mv "$folder/script.$$" "$folder/script" || exit 1
  setsid sh -c ${quoted(SUPERVISE)} "$folder" ${cap} </dev/null >/dev/null 2>&1 &
}`;

/** Script that waits for the end of a command for some seconds, and prints how far it is. */
export const awaitCommandScript = (id: string, secs: number): string => `
cd ${quoted(folderOf(id))} 2>/dev/null || { echo none - 0 0 0 0; exit; }
round=0 state=running code=-
while [ ! -s exit ] && [ $round -lt ${secs * 20} ]; do
  # The supervisor writes its id a moment after it was started.
  if [ $round -gt 100 ] || [ -s pid ]; then
    read -r pid <pid && read -r line 2>/dev/null <"/proc/$pid/stat" || { [ -s exit ] || { state=dead; break; }; }
    case \${line##*) } in Z*) [ -s exit ] || { state=dead; break; } ;; esac
  fi
  sleep 0.05
  round=$((round + 1))
done
[ ! -s exit ] || { state=ended; read -r code <exit; }
size() { wc -c 2>/dev/null <"$1" || echo 0; }
more() { read -r bytes 2>/dev/null <"$1" && echo $bytes || echo 0; }
out=$(size out) err=$(size err)
echo $state $code $out $(more out.more) $err $(more err.more)
head -c $out out 2>/dev/null
head -c $err err 2>/dev/null
:`;

/** Script that removes what is left of a command. */
export const forgetCommandScript = (id: string): string => `rm -rf ${quoted(folderOf(id))}`;

/** The state of a command, and its output so far. */
export interface CommandState {
  state: string;
  exitCode: number;
  out: Buffer;
  outMore: number;
  err: Buffer;
  errMore: number;
}

/** Parses the output of `awaitCommandScript`. */
export function readCommand(printed: Buffer): CommandState {
  const end = printed.indexOf('\n');
  const [state = '', code, ...sizes] = printed.subarray(0, end).toString().split(' ');
  const [out = 0, outMore = 0, err = 0, errMore = 0] = sizes.map(Number);
  const pieces = printed.subarray(end + 1);
  return {
    state,
    exitCode: Number(code),
    out: pieces.subarray(0, out),
    outMore,
    err: pieces.subarray(out, out + err),
    errMore,
  };
}

/** Perl that tries to connect to the API server, and prints whether it could. */
export const CONNECT = String.raw`
use Socket; use POSIX; use Errno; use Fcntl;
my $to = sockaddr_in($ENV{KUBERNETES_SERVICE_PORT}, inet_aton($ENV{KUBERNETES_SERVICE_HOST}));
socket(my $s, PF_INET, SOCK_STREAM, 0) or die "socket: $!";
$SIG{ALRM} = sub { print "shut\n"; exit };
alarm 2;
print connect($s, $to) ? "open\n" : "shut\n";`;

/** Script that packs a folder, as a tar archive on standard output; nothing if it does not exist. */
export const packScript = (folder: string, name: string): string => `
cd ${quoted(folder)} 2>/dev/null && [ -e ${quoted(name)} ] || exit 44
errors=$(mktemp) || exit 1
tar -cf - ${quoted(name)} 2>"$errors"
status=$?${assertPacked('"$errors"')}`;
