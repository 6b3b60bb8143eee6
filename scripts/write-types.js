// Writes the types of the library's documents from the schemas. A test fails if they are out of date.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { importBundled } from './import-bundled.js';

const { documentTypes } = await importBundled(
  fileURLToPath(new URL('./types/documents.js', import.meta.url)),
);
writeFileSync(fileURLToPath(new URL('../src/library/documents.ts', import.meta.url)), await documentTypes());
