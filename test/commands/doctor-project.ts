import { createProject, EMPTY_FIXTURE, scenario, type TestProject } from './project.js';

export interface Found {
  status: 'ok' | 'warning' | 'problem' | 'info';
  message: string;
  remedy: string | null;
  detail: Record<string, unknown> | null;
}

/** A project in which `doctor` finds no problem: one scenario, the program of an agent, and a fake Temporal CLI. */
export async function createDoctorProject(): Promise<TestProject> {
  const project = await createProject(
    {
      ...EMPTY_FIXTURE,
      'fixtures/good.yaml': scenario('good'),
      'llm-tool-test-config.toml': '',
    },
    { ownEngine: true }, // some tests write the engine's state
  );
  await project.write('bin/house', '#!/bin/sh\necho hello\n', 0o755);
  await project.write('bin/temporal', '#!/bin/sh\necho "temporal version 1 (Server 1.29.1)"\n', 0o755);
  return project;
}

/** No server is given, programs have time on a busy machine, and the Temporal CLI is the project's fake one. */
export const LOCAL = {
  TEMPORAL_ADDRESS: '',
  LLM_TOOL_TEST_TEMPORAL_BIN: './bin/temporal',
  LLM_TOOL_TEST_LIMITS: JSON.stringify({ doctorMs: 120_000 }),
};

/** Runs `doctor --json`: its exit code, and its checks by name. */
export async function doctor(
  project: TestProject,
  env: Record<string, string> = {},
): Promise<{ exitCode: number | undefined; status: string; found: Map<string, Found> }> {
  const { exitCode, stdout } = await project.cli(['doctor', '--json'], { ...LOCAL, ...env });
  const { status, checks } = JSON.parse(stdout) as { status: string; checks: (Found & { name: string })[] };
  return { exitCode, status, found: new Map(checks.map((check) => [check.name, check])) };
}
