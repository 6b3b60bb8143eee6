import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  cellsOf,
  createProject,
  EMPTY_FIXTURE,
  openRun,
  REPOSITORY,
  scenario,
  type TestProject,
} from '../commands/project.js';
import { blocks } from './documents.js';

const FOLDER = join(REPOSITORY, 'fixtures/jsonl_agents');
const hasPython = spawnSync('python3', ['--version']).status === 0;
const agents = [
  { name: 'agent.py', language: 'python', isMissing: !hasPython },
  { name: 'agent.sh', language: 'sh', isMissing: false },
];
const PROMPT = 'Run `echo "a\\b	c" >notes.txt`, then `cat notes.txt; echo é` and `exit 3`.';

const inPage = (language: string): string | undefined =>
  blocks(language).find(({ place, text }) => place.startsWith('specs/how-to/jsonl-agents.md') && text.startsWith('#!'))
    ?.text;

test.each(agents)('the page contains fixtures/jsonl_agents/$name', ({ name, language }) => {
  expect(inPage(language)).toBe(readFileSync(join(FOLDER, name), 'utf8'));
});

describe.for(agents)('$name', ({ name, isMissing }) => {
  test.skipIf(isMissing)('prints only lines that the published schema accepts (skipped without python3)', () => {
    const schema = JSON.parse(readFileSync(join(REPOSITORY, 'schema/events.schema.json'), 'utf8')) as object;
    const accepts = new Ajv({ allErrors: true }).compile(schema);
    const stdout = execFileSync(join(FOLDER, name), {
      input: PROMPT,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'ignore'],
      cwd: project.folder,
    });
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(lines.length).toBeGreaterThan(7);
    for (const line of lines) {
      accepts(line);
      expect([line, accepts.errors]).toEqual([line, null]);
    }
  });

  test.skipIf(isMissing)('is ready for runs, says doctor (skipped without python3)', async () => {
    const { exitCode, stdout } = await project.cli(['doctor', '--try', name.replace('.', '-')]);
    expect(stdout).toContain('answered "I ran 0 commands."');
    expect(exitCode).toBe(0);
  });

  test.skipIf(isMissing)('lets gates know its commands, errors and answer (skipped without python3)', async () => {
    const { document, stderr } = await project.run(['reported', '--agents', name.replace('.', '-')]);
    const run = await openRun(cellsOf(document, 'reported'));
    expect(run.run, stderr).toMatchObject({ outcome: 'pass', agent: { completed: true } });
    expect(run.run.agent).not.toHaveProperty('output_problems');
    expect(await run.text('artifacts/events.jsonl')).toContain('a\\\\b\\tc');
  });
});

let project: TestProject;
beforeAll(async () => {
  const agent = (name: string) =>
    `[agents.${name.replace('.', '-')}]\ncommand = "./jsonl_agents/${name}"\nprompt = "stdin"\noutput = "jsonl"\nfree = true\n`;
  project = await createProject({
    ...EMPTY_FIXTURE,
    'llm-tool-test-config.toml': agents.map(({ name }) => agent(name)).join(''),
    'fixtures/reported.yaml': scenario('reported', {
      gates: [
        '{type: command_called, pattern: "^cat notes"}',
        '{type: command_not_called, pattern: "rm"}',
        '{type: tool_called, tool: shell, min: 3}',
        '{type: response_contains, substring: "I ran 3 commands"}',
        '{type: file_contains, path: notes.txt, substring: "a"}',
      ],
    }).replace('"do it"', JSON.stringify(PROMPT)),
  });
  cpSync(FOLDER, join(project.folder, 'jsonl_agents'), { recursive: true });
});
afterAll(() => project.remove());
