import { join } from 'node:path';
import { opencode as adapter } from '../../opencode.js';
import { incompleteBy } from '../../streams/stream-events.js';
import type { AcpPreset } from '../preset.js';

/** The end of a step, in an event of its database. Ids of parts are in the order of time. */
const STEP_END =
  /"part":\{"id":"(prt_\w+)","sessionID":"(ses_\w+)","messageID":"\w+","type":"step-finish","reason":"([\w-]+)"/g;

export const opencode: AcpPreset = {
  command: 'opencode',
  install: 'npm install -g opencode-ai@1.18.33',
  args: ['acp'],
  reading: { usage: 'last', failed: /^(?:API )?Error: / },
  mode: null,
  resume: 'resume',
  mcpProblem: null,
  like: adapter,
  logs: {
    // The database and its log, in which JSON is plain text. Texts inside of it have their quotes escaped.
    lastAnswer: {
      log: ({ home }) => join(home, '.local/share/opencode'),
      records: '/"type":"step-finish"/p',
      sessionProblem(records, session) {
        const steps = [...records.matchAll(STEP_END)].filter(([, , id]) => id === session);
        const [last] = steps.sort(([, one = ''], [, other = '']) => (one < other ? 1 : -1));
        return incompleteBy(last?.[3] ?? '');
      },
    },
  },
  choosesModel: true,
  channel: () => ({ env: {} }),
};
