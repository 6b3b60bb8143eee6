import { createProject, EMPTY_FIXTURE, scenario, type TestProject } from './project.js';

export interface Found {
  status: 'ok' | 'warning' | 'problem' | 'info';
  message: string;
  remedy: string | null;
  detail: Record<string, unknown> | null;
}

/** A project in which `doctor` finds no problem: one scenario, an agent's program, and a Temporal CLI that answers at once. */
export async function createDoctorProject(): Promise<TestProject> {
  const project = await createProject(
    {
      ...EMPTY_FIXTURE,
      'fixtures/good.yaml': scenario('good'),
      'llm-tool-test-config.toml': '',
    },
    { ownEngine: true }, // some tests write its state
  );
  await project.write('bin/house', '#!/bin/sh\necho hello\n', 0o755);
  await project.write('bin/temporal', '#!/bin/sh\necho "temporal version 1 (Server 1.29.1)"\n', 0o755);
  return project;
}

/** No server is given, and the Temporal CLI is that of the project. */
export const LOCAL = { TEMPORAL_ADDRESS: '', LLM_TOOL_TEST_TEMPORAL_BIN: './bin/temporal' };

/** `doctor --json`: its exit code, and what it found by name. */
export async function doctor(
  project: TestProject,
  env: Record<string, string> = {},
): Promise<{ exitCode: number | undefined; status: string; found: Map<string, Found> }> {
  const { exitCode, stdout } = await project.cli(['doctor', '--json'], { ...LOCAL, ...env });
  const { status, checks } = JSON.parse(stdout) as { status: string; checks: (Found & { name: string })[] };
  return { exitCode, status, found: new Map(checks.map((check) => [check.name, check])) };
}
