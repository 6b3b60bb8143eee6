import { ownValue } from '#lib';
import type { AcpPreset } from './preset.js';
import { claude } from './presets/claude.js';
import { codex } from './presets/codex.js';
import { copilot } from './presets/copilot.js';
import { fastAgent } from './presets/fast-agent.js';
import { gemini } from './presets/gemini.js';
import { hermes } from './presets/hermes.js';
import { kimi } from './presets/kimi.js';
import { opencode } from './presets/opencode.js';
import { qwen } from './presets/qwen.js';
import { vibe } from './presets/vibe.js';

/** To add an agent, add a file and a line here. */
const PRESETS: Readonly<Record<string, AcpPreset>> = {
  copilot,
  qwen,
  kimi,
  vibe,
  hermes,
  'fast-agent': fastAgent,
  opencode,
  gemini,
  claude,
  codex,
};

/** The presets, as the config names them. */
export const acpPresetNames: readonly string[] = Object.keys(PRESETS);

/** @throws for a name that the config's schema has refused */
export function presetOf(name: string): AcpPreset {
  const preset = ownValue<AcpPreset>(PRESETS, name);
  if (preset === undefined) throw new Error(`there is no preset ${name}`);
  return preset;
}

/** The presets of agents that have no other adapter. These are agents of their own. */
export const acpAgentNames: readonly string[] = acpPresetNames.filter((name) => presetOf(name).like === null);

/** An agent of which only the config says anything. Nothing that it leaves open is guessed. */
export const UNTRIED: AcpPreset = {
  command: '',
  args: [],
  reading: {
    usage: 'last',
    failed: /^(?:API )?Error: |^HTTP \d{3}\b|^API (?:Error|call failed)\b/i,
    isUntried: true,
    hidesFailures: true,
  },
  mode: null,
  resume: null,
  mcpProblem: null,
  like: null,
  choosesModel: true,
  channel: () => ({ env: {} }),
};
