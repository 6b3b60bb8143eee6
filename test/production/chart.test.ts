import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { REPOSITORY } from '../commands/project.js';

const CHART = join(REPOSITORY, 'image/chart');
const has = (await execa('helm', ['version'], { reject: false })).exitCode === 0;
const VALUES = ['results=s3://team/results', 'temporal.address=temporal:7233'];
async function helm(verb: string[], ...values: string[]) {
  const args = [...VALUES, ...values].flatMap((value) => ['--set', value]);
  const { exitCode, stdout, stderr } = await execa('helm', [...verb, CHART, ...args], { reject: false });
  return { exitCode, stdout, stderr };
}

interface Pod {
  automountServiceAccountToken: boolean;
  hostUsers?: boolean;
  securityContext: object;
  containers: { securityContext: object; env: { name: string; value?: string }[] }[];
}

async function podWith(...values: string[]): Promise<Pod> {
  const { stdout } = await helm(['template', 'workers'], ...values);
  const all = parseAllDocuments(stdout).map((document) => document.toJS() as { kind: string; spec: unknown });
  const set = all.find(({ kind }) => kind === 'StatefulSet')?.spec as { template: { spec: Pod } };
  return set.template.spec;
}
const requiresSandbox = ({ containers }: Pod): string | undefined =>
  containers[0]?.env.find(({ name }) => name === 'LLM_TOOL_TEST_REQUIRE_SANDBOX')?.value;

describe.skipIf(!has)('the Helm chart (skipped without helm)', () => {
  test('has no problem', async () => {
    expect((await helm(['lint', '--strict'])).exitCode).toBe(0);
  });

  test.each([
    ['slots=0', '/slots'],
    ['results=/mnt/results', '/results'],
    ['results=/results', '/resultsVolume'],
    ['temporal.address=temporal', '/temporal/address'],
    ['isolation=some', '/isolation'],
    ['relicas=2', 'relicas'],
  ])('refuses the value %s', async (value, place) => {
    const { exitCode, stderr } = await helm(['template', 'workers'], value);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain(place);
  });

  test('pods fit Pod Security restricted, and agents do not share them unless that is asked for', async () => {
    const pod = await podWith();
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(pod.containers[0]?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
    });
    expect(requiresSandbox(pod)).toBe('1');
    expect(requiresSandbox(await podWith('isolation=bubblewrap'))).toBe('1');
    expect(requiresSandbox(await podWith('isolation=shared'))).toBe('0');
  });
});
