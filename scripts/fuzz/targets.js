import { targets as expressions } from './expressions.js';
import { targets as files } from './files.js';
import { targets as numbers } from './numbers.js';
import { targets as redaction } from './redaction.js';
import { targets as stored } from './stored.js';
import { targets as transcripts } from './transcripts.js';

export const targets = [...files, ...transcripts, ...expressions, ...stored, ...numbers, ...redaction];
