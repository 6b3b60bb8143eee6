import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { FileStat } from '#gates';
import { GRACE_SECS, idleTickOf, markOf, RUN_MARK, supervisorScript } from '#host';
import { argvOf } from '#lib';
import type { EnvironmentHandle, ExecRequest, OwnFile, StartRequest } from '../environment.js';
import { exports, quoted } from './machine.js';

/** Programs that the machine must have. */
const NEEDED = 'awk cat chown date grep head id kill ls mkdir mkfifo readlink rm setsid sleep stat tail tar tr wc';

const supervisorFolder = ({ root }: EnvironmentHandle): string => `${root}/supervisor`;
const execFolder = ({ root }: EnvironmentHandle): string => `${root}/exec`;

/** Prints the names of missing programs to stderr, and uid and gid of the default user to stdout. */
export const whoScript = `for program in ${NEEDED}; do command -v $program >/dev/null || echo "$program" >&2; done
echo "$(id -u 2>/dev/null):$(id -g 2>/dev/null)"`;
/** Creates the run's folder, as root, for the default user: `owner` as printed by `whoScript`. */
export const rootScript = ({ root }: EnvironmentHandle, owner: string): string =>
  `mkdir -p ${quoted(root)} && chown ${quoted(owner)} ${quoted(root)}`;

/** Creates the folders that tasks expect in their container. Runs as root. */
export const logFoldersScript =
  'mkdir -p /logs/agent /logs/verifier /logs/artifacts && chmod 777 /logs/agent /logs/verifier /logs/artifacts';

const fileOf = (handle: EnvironmentHandle, id: string): string => `${execFolder(handle)}/${id}`;

/**
 * Runs a command in its own session, whose id is in a file while it runs. The output is relayed by a process that ends
 * with the command, even if background processes keep the output open.
 */
export const execScript = (handle: EnvironmentHandle, request: ExecRequest, id: string): string => `
cd ${quoted(handle.workspace)} 2>/dev/null && [ ! -L ${quoted(handle.workspace)} ] || { echo 'the workspace is gone' >&2; exit 127; }
mkdir -p ${quoted(execFolder(handle))}
_ltt_file=${quoted(fileOf(handle, id))}
(
${exports({ ...request.env, [RUN_MARK]: request.part === undefined ? handle.mark : markOf(handle.mark, request.part) })}
unset OLDPWD
exec setsid sh -c 'echo $$ >"$0"; exec "$@"' "$_ltt_file" ${argvOf(request.command).map(quoted).join(' ')} </dev/null
)
_ltt_status=$?
${request.keepBackground === true ? '' : 'kill -KILL -"$(cat "$_ltt_file")" 2>/dev/null'}
rm -f "$_ltt_file"
exit $_ltt_status`;

/** Kills a command and its background processes. */
export const endExecScript = (handle: EnvironmentHandle, id: string): string =>
  `kill -KILL -"$(cat ${quoted(fileOf(handle, id))})"; :`;

/**
 * Kills processes, and repeats that until none is left. `choose`: lines of sh that `continue` if `$process`, a folder
 * of /proc, is not to be killed.
 */
export const killUntilNoneLeft = (choose: string): string => `
for round in 1 2 3 4 5 6 7 8 9 10; do
  found=
  for process in /proc/[0-9]*; do
${choose}
    found=1
    kill -KILL "\${process#/proc/}"
  done 2>/dev/null
  [ -n "$found" ] || exit 0
  sleep 0.05
done`;

/** Kills the processes with the mark of a part. */
export const killPartScript = ({ mark }: EnvironmentHandle, part: string): string =>
  killUntilNoneLeft(
    `tr '\\0' '\\n' <"$process/environ" | grep -qxF ${quoted(`${RUN_MARK}=${markOf(mark, part)}`)} || continue`,
  );

const launchFile = (folder: string): string => `${folder}/launch`;

/**
 * Writes everything for a start of the agent, and prints the ids of its user and groups. The supervisor is written too:
 * an earlier turn of the agent may have changed it. `mode`: that of the supervisor, as a word of a script.
 */
export function prepareScript(handle: EnvironmentHandle, request: StartRequest, folder: string, mode: string): string {
  const { argv, env, stdin, files, deadlineSecs, idleSecs } = request;
  const scripts = supervisorFolder(handle);
  const mark = markOf(handle.mark, 'agent');
  const limits = [deadlineSecs, idleTickOf(idleSecs), GRACE_SECS].map(String);
  const words = [
    ...['setsid', 'sh', `${scripts}/claim.sh`, folder].map(quoted),
    ...[mode, 'container', 'sh', quoted(`${scripts}/supervise.sh`), quoted(folder), mode],
    ...[...limits, mark, handle.workspace, `${folder}/in`, ...argv].map(quoted),
  ];
  const launch = `rm -f "$0"
umask 022
export LLM_TOOL_TEST_AGENT_PATH="$PATH"
${exports(omitPath(env))}
${'PATH' in env ? `export LLM_TOOL_TEST_AGENT_PATH=${quoted(env['PATH'] ?? '')}` : ''}
export ${RUN_MARK}=${quoted(markOf(handle.mark, 'supervisor'))}
exec ${words.join(' ')} </dev/null >/dev/null 2>&1
`;
  const supervisor = ['claim.sh', 'supervise.sh'].map((name) => ({
    path: `${scripts}/${name}`,
    content: readFileSync(supervisorScript(name), 'utf8'),
  }));
  const own = [
    { path: `${folder}/in`, content: stdin },
    { path: launchFile(folder), content: launch },
  ];
  return `
umask 077
rm -rf ${quoted(scripts)}
${[...supervisor, ...files, ...own].map(writeCommand).join('\n')}
cd ${quoted(folder)} || exit 1
for file in exit stop session sup.err; do [ -e $file ] || printf ' ' >$file; done
echo "$(id -u) $(id -G)"`;
}

/** Starts the agent, which was prepared, under a supervisor that outlives this script. Does nothing the second time. */
export const launchScript = (folder: string): string =>
  `[ ! -e ${quoted(launchFile(folder))} ] || sh ${quoted(launchFile(folder))} &`;

/**
 * The same as a command line for root. `perl`: how perl is started; `user`: the ids that `prepareScript` has printed.
 */
export const streamedLaunch = (folder: string, perl: readonly string[], user: string): string[] => [
  // A warning about the locale would be taken for output.
  ...['sh', '-c', 'PERL_BADLANG=0 exec "$@"', 'sh', ...perl, '-', `stream=${user.trim().replaceAll(' ', ',')}`, folder],
  ...['sh', launchFile(folder)],
];

/** Waits until the supervisor has claimed the start. */
export const awaitClaimScript = (folder: string): string => `
cd ${quoted(folder)} || exit 1
tries=0
until [ -s sup ] || [ $tries -gt 250 ]; do sleep 0.02; tries=$((tries + 1)); done
[ -s sup ] || { echo "the supervisor did not start in ${basename(folder)}: $(cat sup.err)" >&2; exit 1; }`;

const omitPath = (env: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name !== 'PATH'));

/**
 * Asks the supervisor of a start to stop its agent. The FIFO is opened for reading too, so that the script does not
 * block if the supervisor is gone.
 */
export const stopScript = (folder: string, reason: string): string =>
  `[ -p ${quoted(`${folder}/ctl`)} ] && printf '%s\\n' ${quoted(reason)} 1<>${quoted(`${folder}/ctl`)}; :`;

/** A command that writes a file; the script ends if it cannot. */
function writeCommand({ path, content, base64, executable }: OwnFile): string {
  const written = `printf %s ${quoted(content)}${base64 === true ? ' | base64 -d' : ''} >${quoted(path)}`;
  const run = executable === true ? ` && chmod u+x ${quoted(path)}` : '';
  return `mkdir -p ${quoted(dirname(path))} && ${written}${run} || exit 1`;
}

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
    return content === null ? null : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return null;
  }
}

/** Follows tar and `status=$?`: fails if tar has, unless files only changed meanwhile. `errors`: its file, quoted. */
export const assertPacked = (errors: string): string => `
if [ $status -gt 1 ] || { [ $status = 1 ] && ! grep -qE 'changed as we read it|removed before we read it' ${errors}; }; then
  cat ${errors} >&2
  exit $status
fi
rm -f ${errors}`;
