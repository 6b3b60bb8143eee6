import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createProject, openRun, until } from '../../commands/project.js';
import { fitProblem } from '../../../src/environments/container/fit.js';
import { packAgent } from '../../../src/environments/container/pack-agent.js';
import { packsFolder } from '../../../src/environments/container/packs.js';
import { DEBIAN_IMAGE, IMAGE, whyNoContainers, whyNoDebian } from '../../environments/containers.js';
import { CLI_NAMES, provideCli } from '../clis.js';
import { serve } from '../serve.js';
import { MODELS } from './models.js';

const lacking = await whyNoDebian();
if (lacking !== null) console.log(`no test of mounted agents: ${lacking}`);

/** An MCP server for Node, of which the image has none: it is that of the mounted agent. */
const SERVER = `import { createInterface } from 'node:readline';
const tool = { name: 'secret', description: 'Says the secret word.', inputSchema: { type: 'object', properties: {} } };
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'the word is xyzzy' }] }),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const found = answers[method];
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(found === undefined ? { error: { code: -32601, message: 'no' } } : { result: found(params) }) }));
});
`;

const MCP = `[[environment.mcp_servers]]
name = "own"
transport = "stdio"
command = "/opt/llm-tool-test/agent/node"
args = ["/srv/server.mjs"]
`;

/** Searches that agents make before they call a tool of a server. */
const SEARCHES: Partial<Record<string, { tool: string; input: Record<string, unknown> }[]>> = {
  'claude-code': [{ tool: 'ToolSearch', input: { query: 'select:mcp__own__secret' } }],
  codex: [{ tool: 'tool_search', input: { query: 'secret word' } }],
};
const WITH_SERVERS = ['claude-code', 'codex', 'gemini-acp'];

const NAMES = process.env['MOUNTED']?.split(',') ?? [...CLI_NAMES, 'gemini-acp'];

/** The command lines of processes of this machine that have all these words. */
const processesWith = (...words: string[]): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return words.every((word) => line.includes(word)) ? [line] : [];
      } catch {
        return []; // it has ended
      }
    });

test.skipIf(lacking !== null).each(NAMES)(
  '%s of this machine works in Debian without network, and reaches its provider alone',
  async (name) => {
    const cli = CLI_NAMES.find((one) => name.startsWith(one)) ?? 'gemini';
    const program = await provideCli(cli, console.log);
    const acp = name === cli ? '' : `acp = "${cli}"\n`;
    const hasServers = WITH_SERVERS.includes(name);
    const server = await serve({
      steps: [
        {
          run: 'ls /sys/class/net >nets.txt; ls -d /usr/bin/node /usr/lib/node_modules >programs.txt 2>/dev/null; true',
        },
        ...(hasServers ? [...(SEARCHES[name] ?? []), { tool: 'secret', input: {} }] : []),
        { run: 'echo done >out.txt' },
        { say: 'All is done.' },
      ],
    });
    const project = await createProject({
      'llm-tool-test-config.toml': `[agents.${name}]\ncommand = ${JSON.stringify(program)}\nmodels = ["${MODELS[cli]}"]\n${acp}`,
      'tasks/work/task.toml': `[environment]\nnetwork_mode = "no-network"\nworkdir = "/srv"\nskills_dir = "/skills"\n${hasServers ? MCP : ''}`,
      'tasks/work/instruction.md': 'Write out.txt.\n',
      'tasks/work/environment/Dockerfile': `FROM ${DEBIAN_IMAGE}\nCOPY server.mjs /srv/server.mjs\nCOPY skills /skills\n`,
      'tasks/work/environment/server.mjs': SERVER,
      'tasks/work/environment/skills/stamp/SKILL.md':
        '---\nname: stamp\ndescription: Stamps documents with marker-of-the-skill.\n---\n\nStamp it.\n',
      'tasks/work/tests/test.sh':
        '#!/bin/sh\nreward=0\n[ "$(cat out.txt nets.txt programs.txt)" = "done\nlo" ] && reward=1\necho $reward >/logs/verifier/reward.txt\n',
    });
    onTestFinished(() => project.remove());
    const env: Record<string, string> = { LLM_TOOL_TEST_ENABLED: '1' };
    for (const maker of ['ANTHROPIC', 'OPENAI', 'GEMINI']) env[`${maker}_API_KEY`] = 'key-of-the-test';
    for (const maker of ['ANTHROPIC', 'OPENAI', 'GOOGLE_GEMINI']) env[`${maker}_BASE_URL`] = server.url;
    const { document } = await project.run(['tasks/work', '--agents', name], env);
    const { run, text } = await openRun(document);
    expect([run.outcome, run.message]).toEqual(['pass', '1/1 gates passed']);
    expect(run.agent).toMatchObject({ ending: 'done', starts: 1 });
    expect(run.agent?.version).toMatch(/\d+\.\d+/);
    // Until the run is over, its pack is not removed.
    const uses = join(packsFolder(), '.uses');
    const used = readdirSync(uses).filter((use) => readFileSync(join(uses, use), 'utf8').startsWith(project.state));
    expect(used).toContainEqual(expect.stringMatching(new RegExp(`^${basename(program)}-`)));
    expect(server.requests.every(({ key }) => key === 'key-of-the-test')).toBe(true);
    if (hasServers) expect(await text('artifacts/events.jsonl')).toContain('the word is xyzzy');
    expect(
      await until('the relay has ended', () =>
        Promise.resolve(processesWith('relay-program', project.folder).length === 0 || null),
      ),
    ).toBe(true);
  },
  300_000,
);

test.skipIf(lacking !== null)(
  'an agent that does not start in an image is refused at its line; a static binary starts in any',
  async () => {
    expect(await whyNoContainers()).toBeNull();
    const [claude, codex] = await Promise.all([
      provideCli('claude-code', console.log),
      provideCli('codex', console.log),
    ]);
    const project = await createProject({
      'llm-tool-test-config.toml': `[agents.claude-code]\ncommand = ${JSON.stringify(claude)}\nmodels = ["${MODELS['claude-code']}"]\n[agents.missing]\nadapter = "codex"\ncommand = "no-such-codex"\nmodels = ["${MODELS.codex}"]\n`,
      'tasks/work/task.toml': `[environment]\ndocker_image = "${IMAGE}"\n`,
      'tasks/work/instruction.md': 'Write out.txt.\n',
      'tasks/work/tests/test.sh': '#!/bin/sh\n',
    });
    onTestFinished(() => project.remove());
    const refused = async (agent: string): Promise<string> => {
      const keys = { ANTHROPIC_API_KEY: 'x', OPENAI_API_KEY: 'x' };
      const ended = await project.cli(['run', 'tasks/work', '--agents', agent], {
        LLM_TOOL_TEST_ENABLED: '1',
        ...keys,
      });
      expect(ended.exitCode).toBe(2);
      return ended.stderr;
    };
    expect(await refused('claude-code')).toContain(
      `tasks/work/task.toml:2:16 environment.docker_image: the image ${IMAGE}: it has no glibc, for which claude of this machine is made`,
    );
    expect(await refused('missing')).toContain(
      'the agent missing is mounted from this machine, where no-such-codex was not found',
    );
    const packed = await packAgent(codex);
    if ('why' in packed) throw new Error(packed.why);
    const trial = { folder: packed.folder, program: codex, version: ['--version'] };
    expect(await fitProblem({ command: 'docker', image: IMAGE }, trial)).toBeNull();
  },
  120_000,
);
