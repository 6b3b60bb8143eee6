import { z } from 'zod';
import { cleanText, didYouMean, type Loaded, nonBlank, quote } from '#input';
import { ownValue } from '#lib';
import type { AgentTable } from '../agent-table.js';
import { loadYaml } from './load-yaml.js';

/** A package with or without a version. Any other source, such as an address, would run what nobody has installed. */
const PACKAGE = /^(?:@[\w.~-]+\/)?\w[\w.~-]*(?:\[[\w,.-]+\])?(?:(?:@|==)[\w.+!-]+)?$/;

/** A variable of the shell would give the registry's agent whatever secret it names. */
const plain = z.string().refine((value) => !value.includes('${'), {
  error: 'expected a text without ${...}: a registry cannot name variables of yours',
});
const start = {
  cmd: nonBlank('the name of a program')
    .regex(/^\w[\w.-]*$/, 'expected the name of a program')
    .exactOptional(),
  args: z.array(plain).default([]),
  env: z.record(z.string().regex(/^[A-Za-z_]\w*$/, 'expected the name of a variable'), plain).default({}),
};
const Package = z.object({
  ...start,
  package: nonBlank('the name of a package').regex(PACKAGE, 'expected the name of a package, and perhaps its version'),
});
const Distribution = z.object({
  npx: Package.exactOptional(),
  uvx: Package.exactOptional(),
  binary: z.record(z.string(), z.object({ args: start.args, env: start.env })).exactOptional(),
});
/** The fields of a registry that say how an agent is started. */
const Registry = z
  .object({
    agents: z
      .array(
        z.object({ id: nonBlank('the id of the agent'), version: z.string().default(''), distribution: Distribution }),
      )
      .superRefine((agents, context) => {
        for (const [index, { id }] of agents.entries())
          if (agents.findIndex((other) => other.id === id) !== index)
            context.addIssue({ code: 'custom', path: [index, 'id'], message: `two agents have the id ${quote(id)}` });
      }),
  })
  .check(cleanText());

/**
 * Returns an agent's table with the start that a registry has for it. Nothing is installed by a start: `npx --no` and
 * `uvx --offline` only find what is there already.
 */
export function withRegistered(table: AgentTable, file: string, text: string): Loaded<AgentTable> {
  const loaded = loadYaml(Registry, file, text);
  if (!loaded.ok) return loaded;
  const { agents } = loaded.value;
  const id = table.registry?.id ?? '';
  const refuse = (message: string, ...path: PropertyKey[]): Loaded<AgentTable> => ({
    ok: false,
    problems: [loaded.problemAt(['agents', ...path], message)],
  });
  const index = agents.findIndex((agent) => agent.id === id);
  const agent = agents[index];
  if (agent === undefined) {
    const near = didYouMean(
      id,
      agents.map((one) => one.id),
    );
    return refuse(`has no agent with the id ${quote(id)}${near === null ? '' : `; ${near}`}`);
  }
  const { npx, uvx, binary = {} } = agent.distribution;
  const system = `${process.platform}-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}`;
  const found = npx ?? uvx ?? ownValue(binary, system);
  if (found === undefined) return refuse(`has no npx, uvx or binary.${system}`, index, 'distribution');
  const start = table.command === undefined ? startOf(agent.distribution, agent.version) : [table.command];
  const [command, ...args] = start;
  if (command === undefined) {
    const remedy = 'unpack it, and add its program to the config as `command`';
    return refuse(`is an archive, which is never downloaded: ${remedy}`, index, 'distribution', 'binary');
  }
  const value = {
    ...table,
    command,
    args: [...args, ...found.args, ...table.args],
    env: { ...found.env, ...table.env },
  };
  return { ok: true, value, problemAt: loaded.problemAt };
}

/** The program of a package, which must be installed. Empty for an agent that is no package. */
function startOf({ npx, uvx }: z.infer<typeof Distribution>, version: string): string[] {
  const exact = (name: string, mark: string): string =>
    version === '' || /.@|==/.test(name) ? name : `${name}${mark}${version}`;
  if (npx !== undefined) {
    const name = exact(npx.package, '@');
    return ['npx', '--no', ...(npx.cmd === undefined ? ['--', name] : ['--package', name, '--', npx.cmd])];
  }
  if (uvx === undefined) return [];
  const name = exact(uvx.package, '==');
  return ['uvx', '--offline', ...(uvx.cmd === undefined ? [name] : ['--from', name, uvx.cmd])];
}
