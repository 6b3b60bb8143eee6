import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser';
import { expect, test } from 'vitest';
import rules from '../scripts/rooms.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** @param folder the folder to start from; its imports are followed */
async function violations(options: ICruiseOptions, folder = 'src'): Promise<string[]> {
  const { output } = await cruise([folder], { baseDir: root, validate: true, ...options });
  const { summary } = output as ICruiseResult;
  expect(summary.totalCruised).toBeGreaterThan(15);
  return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`);
}

const { options } = rules as { options: ICruiseOptions };

/* `npm run arch` checks which layer may import which. These rules follow imports, without those of types. */

test('nothing that workflow code imports touches the machine or brings zod into the bundle', async () => {
  const impure = {
    name: 'workflows-stay-pure',
    severity: 'error' as const,
    from: { path: '^src/workflows/' },
    to: {
      path: 'node_modules/(zod|yaml|execa|re2js)/|^node:|^(fs|path|os|child_process|crypto|net)(/|$)',
      reachable: true,
    },
  };
  // Type imports do not exist at run time, so they do not count here.
  expect(
    await violations({ ...options, tsPreCompilationDeps: false, ruleSet: { forbidden: [impure] } }, 'src/workflows'),
  ).toEqual([]);
});

test('nothing that the page of the viewer imports brings Node or a library besides preact into its bundle', async () => {
  const foreign = {
    name: 'page-stays-small',
    severity: 'error' as const,
    from: { path: '^src/viewer/pages/' },
    to: {
      path: 'node_modules/(?!preact/)|^node:|^(fs|path|os|child_process|crypto|net|util)(/|$)',
      reachable: true,
    },
  };
  expect(
    await violations(
      { ...options, tsPreCompilationDeps: false, ruleSet: { forbidden: [foreign] } },
      'src/viewer/pages',
    ),
  ).toEqual([]);
});

test('the rules can fail: a forbidden import is found', async () => {
  const strict = {
    name: 'nothing',
    severity: 'error' as const,
    from: { path: '^src/lib/' },
    to: { path: '^src/lib/' },
  };
  const found = await violations({ ...options, ruleSet: { forbidden: [strict] } }, 'src/lib');
  expect(found.length).toBeGreaterThan(0);
});

test('files of the package are named as they lie in dist/, which is flat', () => {
  const named = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [
      ...readFileSync(join(root, 'src', name), 'utf8').matchAll(/new URL\(.(.*?)., import\.meta\.url\)/g),
    ])
    .map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((path) => !path.startsWith('./'))).toEqual([]);
});
