import { join } from 'node:path';
import { parseModelName } from '#lib';
import type { Agent, AgentSettings } from '../agent.js';
import { classifyByResult } from '../failures/classify.js';
import { type RequestReader, requestOf, requestReader } from '../request-reader.js';
import { ownEventStream } from '../streams/event-stream.js';
import { systemPrompt } from './system-prompt.js';
import { toolsOfLoop } from './tools.js';

const NO_PARTS = { workspace: '', instructions: [], skills: [], added: null };

/**
 * The built-in agent without a program: its requests to the model and its calls of tools are steps of the run, so that
 * none of them is lost or repeated. Its events are written by these steps in the form of our own stream.
 */
export function loop(settings: AgentSettings): Agent {
  return {
    name: 'loop',
    program: process.execPath,
    free: settings.free ?? false,
    models: settings.models,
    provider(model) {
      const name = parseModelName(model);
      return name.ok ? name.provider : null;
    },
    modelProblem(model) {
      const name = parseModelName(model);
      return name.ok ? null : `needs a model with its provider: ${name.message}`;
    },
    login: null,
    subject: {
      skill: (folders) => join(folders.home, '.agents/skills'),
      instructions: (folders) => join(folders.home, 'AGENTS.md'),
    },
    mcpProblem: null,
    limitsTurns: true,
    version: null,
    isLoop: true,
    // Never started: this is what its work depends on, for the key of its results.
    launch: ({ prompt, access }) => ({
      argv: [process.execPath, 'loop', JSON.stringify([toolsOfLoop, systemPrompt(NO_PARTS)])],
      env: { LOOP_ADDRESS: access?.baseUrl ?? '' },
      stdin: prompt,
      files: [],
    }),
    // A later start continues the conversation of the one before.
    resume(request) {
      return this.launch(request);
    },
    parser: ownEventStream,
    firstRequest: { reader: loopRequest },
    classify: classifyByResult,
  };
}

/** The first request that was answered. One whose answer was lost before was the same. */
export function loopRequest(): RequestReader {
  let isLost = false;
  return requestReader(({ type, input, cache_read, cache_write }) => {
    if (type !== 'usage') {
      isLost ||= type === 'unknown';
      return null;
    }
    if (!isLost) return requestOf(input, cache_read ?? 0, cache_write ?? 0);
    isLost = false;
    return null;
  });
}
