import { UsageError } from '#lib';
import { type Check, type CheckStatus, countOf, renderDoctor } from '#reports';
import { checksOf } from './checks.js';
import { doctorContext, type DoctorCheck, type DoctorContext } from './context.js';
import { printJson, textOptions } from '../shared/output.js';

export interface DoctorOptions {
  json: boolean;
  results?: string;
  address?: string;
  /** Name of an agent to try. No other check is made then. */
  try?: string;
  model?: string;
}

/**
 * How much longer than a program or a server a whole check may take that hangs, for example on a network file system, ms.
 */
const MORE_MS = 5000;

/** `doctor`: checks that this machine can run scenarios. Returns the exit code, 3 if there is a problem. */
export async function doctor(options: DoctorOptions): Promise<number> {
  const checks = await findings(options);
  const worst = (['problem', 'warning'] as const).find((status) => countOf(checks, status) > 0) ?? 'ok';
  if (options.json) printJson(document(worst, checks));
  else process.stdout.write(renderDoctor(checks, textOptions()));
  return worst === 'problem' ? 3 : 0;
}

async function findings({ try: agent, ...options }: DoctorOptions): Promise<Check[]> {
  if (agent !== undefined)
    return [await (await import('./try.js')).tryAgentCheck({ ...options, try: agent })];
  if (options.model !== undefined) throw new UsageError('usage', '--model needs --try <agent>');
  const context = doctorContext(options);
  return Promise.all(checksOf(context).map((check) => perform(check, context)));
}

/** Performs a check. An error in the check itself becomes a warning and does not affect the others. */
async function perform({ name, look }: DoctorCheck, context: DoctorContext): Promise<Check> {
  const limitMs = context.limits.doctorMs + MORE_MS;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limitMs / 1000} s`)), limitMs);
  });
  try {
    return { name, ...(await Promise.race([(async () => look(context))(), late])) };
  } catch (error) {
    return { name, status: 'warning', message: `check failed: ${(error as Error).message}` };
  } finally {
    clearTimeout(timer);
  }
}

const document = (status: CheckStatus, checks: readonly Check[]) => ({
  status,
  checks: checks.map(({ name, status: found, message, remedy = null, detail = null }) => ({
    name,
    status: found,
    message,
    remedy,
    detail,
  })),
});
