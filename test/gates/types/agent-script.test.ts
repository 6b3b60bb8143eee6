import { expect, it } from 'vitest';
import { NO_DENO } from '../../../src/agent-scripts/deno-command.js';
import {
  denoEnv,
  NO_DENO_PATH,
  printing,
  readmeOf,
  scriptFiles,
  writeFiles,
} from '../../agent-scripts/project-script.js';
import { check, newWorkspace, realContext } from '../real-context.js';

const ECHO = 'console.log(JSON.stringify({ success: true, data: { args: Deno.args, none: null } }));\n';

/** Checks a script of a workspace that has these files. */
async function agentScript(files: Record<string, string>, gate: object = {}, env?: Record<string, string>) {
  const workspace = await newWorkspace();
  await writeFiles(workspace, files);
  const context = realContext(workspace, { env: env ?? denoEnv() });
  return check({ type: 'agent_script', script: 'check', ...gate }, context);
}

it('passes when the script answers with success, and keeps the answer', async () => {
  expect(await agentScript(scriptFiles('check', ECHO))).toEqual({
    status: 'pass',
    message: 'check succeeded',
    detail: { success: true, data: { args: [], none: null } },
  });
});

it('a script of the checks folder comes before the one of the workspace, and works on the workspace', async () => {
  const workspace = await newWorkspace();
  const checks = await newWorkspace();
  await writeFiles(workspace, {
    ...scriptFiles('check', printing({ success: true, data: 'forged' })),
    a: 'x',
  });
  const list =
    'console.log(JSON.stringify({ success: true, data: [...Deno.readDirSync(".")].map(({ name }) => name) }));';
  await writeFiles(checks, scriptFiles('check', list, '--allow-read=.'));
  const env = { ...denoEnv(), LLM_TOOL_TEST_CHECKS: checks };
  const gate = { type: 'agent_script', script: 'check', path: '$[?@ == "a"]', assertion: 'len == 1' };
  expect(await check(gate, realContext(workspace, { env, checks }))).toMatchObject({ status: 'pass' });
});

it('arguments reach the script as they are, whatever a shell would make of them', async () => {
  const args = ['two words', "it's", '$(touch evil)', '', '--flag', 'ä\n'];
  const gate = { args, path: '$.args', assertion: `equals ${JSON.stringify(args)}` };
  expect(await agentScript(scriptFiles('check', ECHO), gate)).toMatchObject({ status: 'pass' });
});

it('a script is named by its path or by its group too', async () => {
  const files = scriptFiles('coverage/check', ECHO);
  for (const script of ['coverage/check', '.agents/scripts/coverage/check/run.ts'])
    expect((await agentScript(files, { script })).status).toBe('pass');
});

it.each([
  ['$.args', 'len == 0', 'pass', '$.args len == 0'],
  ['$.args', 'len == 1', 'fail', '$.args: expected'],
  ['$.none', 'equals null', 'pass', '$.none equals null'],
  ['$.missing', 'exists', 'fail', '$.missing: path not found'],
  ['$.success', 'exists', 'fail', '$.success: path not found'], // the path is one in the data
])('%s %s: %s', async (path, assertion, status, message) => {
  const verdict = await agentScript(scriptFiles('check', ECHO), { path, assertion });
  expect(verdict.status).toBe(status);
  expect(verdict.message).toContain(message);
});

it('fails with code and error when the script answers without success', async () => {
  const answer = { success: false, error: 'no such file', code: 'FILE_NOT_FOUND' };
  const verdict = await agentScript(scriptFiles('check', `${printing(answer)}Deno.exit(1);\n`));
  expect(verdict).toEqual({ status: 'fail', message: 'FILE_NOT_FOUND: no such file', detail: answer });
});

it.each([
  ['garbage', 'console.log("hello");', /^check broke the contract: stdout is not one JSON document: "hello"/],
  ['nothing', '', /^check broke the contract: nothing on stdout; exit 0/],
  ['a crash', 'throw new Error("oops");', /^check broke the contract: nothing on stdout; exit 1: .*oops/],
  ['an error of its own exit code', 'Deno.exit(127);', /^check broke the contract: nothing on stdout; exit 127/],
  [
    'a permission that the README does not show',
    'Deno.readTextFileSync("a");',
    /exit 1: error: .*NotCapable.*read access/,
  ],
])('a script that ends in %s fails: it is the thing under test', async (_, source, message) => {
  const verdict = await agentScript(scriptFiles('check', source));
  expect(verdict).toEqual({ status: 'fail', message: expect.stringMatching(message) as string });
});

it('runs with the permissions of the README', async () => {
  const source = 'Deno.writeTextFileSync("out.txt", "x");\n' + ECHO;
  expect((await agentScript(scriptFiles('check', source, '--allow-write=.'))).status).toBe('pass');
});

it.each([
  ['nothing there', {}, "there is no agent script 'check': no .agents/scripts/check/README.md in the workspace"],
  [
    'a README without a command',
    { '.agents/scripts/check/README.md': '# check\n', '.agents/scripts/check/run.ts': ECHO },
    '.agents/scripts/check/README.md: the README has no section Usage with a `deno run` command in a code block',
  ],
  [
    'a README that is a folder',
    { '.agents/scripts/check/README.md/x': '' },
    "there is no agent script 'check': no .agents/scripts/check/README.md in the workspace",
  ],
])('fails with %s', async (_, files: Record<string, string>, message) => {
  expect(await agentScript(files)).toEqual({ status: 'fail', message });
});

it('a README without a script is a broken one', async () => {
  const verdict = await agentScript({ '.agents/scripts/check/README.md': readmeOf('check') });
  expect(verdict.message).toMatch(/broke the contract: nothing on stdout; exit 1: .*not found/i);
});

it('nothing can be said without Deno: the check is broken, not failed', async () => {
  expect(await agentScript(scriptFiles('check', ECHO), {}, { PATH: NO_DENO_PATH })).toEqual({
    status: 'error',
    message: NO_DENO,
  });
});
