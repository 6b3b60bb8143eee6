import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A program that answers as `temporal --version` does. */
export const temporalScript = (server: string): string =>
  `#!/bin/sh\n[ "$1" = --version ] && echo "temporal version 1.5.1 (Server ${server}, UI 2.42.1)"\n`;

export function script(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o755 });
  return path;
}
