import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const SHOWN = 10;

const seconds = (file: TestModule): number => {
  const { collectDuration, setupDuration, duration } = file.diagnostic();
  return (collectDuration + setupDuration + duration) / 1000;
};

/** A reporter for vitest that prints the slowest files. */
export default function slowestFiles(): Reporter {
  return {
    onTestRunEnd(files) {
      const slowest = files.toSorted((a, b) => seconds(b) - seconds(a)).slice(0, SHOWN);
      console.log('\nSlowest files:');
      for (const file of slowest)
        console.log(`${seconds(file).toFixed(1).padStart(7)} s  ${relative('', file.moduleId)}`);
    },
  };
}
