import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { REPOSITORY } from '../commands/project.js';
import { action, actionText } from './action-file.js';

const { steps } = action.runs;
const scripts = steps.flatMap(({ run }) => run ?? []);
const inputsIn = (text: string): string[] =>
  [...text.matchAll(/\$\{\{[^}]*?\binputs\.([\w-]+)/g)].map(([, name = '']) => name);

describe('action.yml', () => {
  test('is a composite action whose scripts say their shell', () => {
    expect(action.runs.using).toBe('composite');
    expect(scripts.length).toBeGreaterThan(3);
    for (const step of steps) expect(step.shell, step.name).toBe(step.run === undefined ? undefined : 'bash');
  });

  test('inserts no expression into a script, so that no input is run as a command', () => {
    expect(scripts.filter((script) => script.includes('${{'))).toEqual([]);
  });

  test('gives the token only to the step that comments', () => {
    const given = steps.filter(({ env = {} }) => inputsIn(JSON.stringify(env)).includes('token'));
    expect(given.map(({ name }) => name)).toEqual(['Comment on the pull request']);
  });

  test('describes every input, and uses each', () => {
    const used = new Set([
      ...inputsIn(actionText),
      ...[...actionText.matchAll(/if:.*?\binputs\.([\w-]+)/g)].map(([, name]) => name),
    ]);
    expect([...used].sort()).toEqual(Object.keys(action.inputs).sort());
    for (const [name, { description }] of Object.entries(action.inputs)) expect(description, name).toMatch(/^\S.{20}/);
  });

  test('names only outputs of its own steps', () => {
    const ids = steps.flatMap(({ id }) => id ?? []);
    const named = [...actionText.matchAll(/\bsteps\.(\w+)\.outputs\.\w+/g)].map(([, id]) => id);
    expect(new Set(named)).toEqual(new Set(ids));
  });

  test('pins every action to the commit that a workflow of this repository uses', () => {
    const pinsIn = (text: string): string[] =>
      [...text.matchAll(/uses: *([\w-]+\/[\w-]+)\S*@(.*)/g)].map(([, repository, pin]) => `${repository}@${pin}`);
    const pins = pinsIn(actionText);
    expect(pins).toHaveLength(steps.filter(({ uses }) => uses !== undefined).length);
    for (const pin of pins) expect(pin).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    const workflows = join(REPOSITORY, '.github/workflows');
    const known = readdirSync(workflows).flatMap((name) => pinsIn(readFileSync(join(workflows, name), 'utf8')));
    expect(pins.filter((pin) => !known.includes(pin))).toEqual([]);
  });

  test('starts only scripts that exist', () => {
    const named = scripts.flatMap((script) =>
      [...script.matchAll(/\$GITHUB_ACTION_PATH\/([\w./-]+)/g)].map(([, path = '']) => path),
    );
    expect(named).toEqual(['install', 'run', 'report', 'comment'].map((name) => `scripts/action/${name}.js`));
    for (const path of named) expect(() => readFileSync(join(REPOSITORY, path))).not.toThrow();
  });
});
