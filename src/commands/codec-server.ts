import type { CommandLine, Program } from './shared/command-line.js';
import { addHelp } from './shared/help.js';
import { each, port } from './shared/option-values.js';

/** Adds the `codec-server` command. */
export function addCodecServer(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('codec-server')
    .description("Decrypt payloads for Temporal's Web UI and CLI until it is stopped")
    .option('--port <number>', 'port on 127.0.0.1 (default: 8088)', port, 8088)
    .option(
      '--origin <url>',
      'also serve a Web UI at this address; repeatable (default: only a Web UI on this machine)',
      each,
      [],
    )
    .action(async (options) => exitWith((await import('./codec-server/serve.js')).serve(options)));
  addHelp(
    command,
    'codec-server',
    ['Print the endpoint, and serve it until Ctrl-C', 'llm-tool-test codec-server'],
    ['For the Web UI of Temporal Cloud', 'llm-tool-test codec-server --origin https://cloud.temporal.io'],
  );
}
