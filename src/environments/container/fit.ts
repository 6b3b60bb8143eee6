import type { Container } from '../machine/settings.js';
import { runCli } from './container-cli.js';
import { misfitReason, mountArgs, packedAgent, tryScript } from './pack-agent.js';

const TRY_MS = 60_000;

/**
 * Starts a packed agent for its version in a container of an image, which is removed again. Returns why it does not fit
 * into the image; null if it does, or if the container cannot be made.
 */
export async function fitProblem(
  { command, image }: Pick<Container, 'command'> & { image: string },
  { folder, program, version }: { folder: string; program: string; version: readonly string[] },
): Promise<string | null> {
  const args = [
    'run',
    '--rm',
    '--pull',
    'never',
    '--network',
    'none',
    ...mountArgs(folder),
    '--entrypoint',
    'sh',
    image,
  ];
  const inside = packedAgent(program);
  const { exitCode, stderr } = await runCli(command, [...args, '-c', tryScript(inside, version)], {
    timeoutMs: TRY_MS,
  });
  // 125: the container was not made, which its run will say better.
  return exitCode === 0 || exitCode === 125 || exitCode === -1
    ? null
    : `the image ${image}: ${misfitReason(inside, stderr)}`;
}
