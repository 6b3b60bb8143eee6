import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { checkAgentConsent, checkJudgeConsent } from '../../src/planning/checks.js';
import { UsageError } from '../../src/lib/errors/usage-error.js';
import { formatProblem } from '../../src/lib/errors/problem.js';
import { parseConfig, type Config } from '../../src/scenario/config.js';

function config(toml: string): Config {
  const loaded = parseConfig('c.toml', toml);
  if (!loaded.ok) throw new Error(loaded.problems.map(formatProblem).join());
  return loaded.value;
}

const HOUSE = '[providers.house]\nbase_url = "http://127.0.0.1:1/v1"\n';
const MINE = '[agents.mine]\ncommand = "true"\n';
const FREE = 'free = true\n';

beforeEach(() => {
  vi.stubEnv('LLM_TOOL_TEST_ENABLED', '');
});
afterEach(() => void vi.unstubAllEnvs());

describe('consent to spend money', () => {
  const agent = (toml: string, name: string) => () => checkAgentConsent(config(toml), name);
  const judge = (toml: string, model: string) => () => checkJudgeConsent(config(toml), model, true);

  test('is needed for an agent that is not declared free', () => {
    expect(agent('', 'mock')).not.toThrow();
    expect(agent(MINE + FREE, 'mine')).not.toThrow();
    expect(agent(MINE, 'mine')).toThrow(/agent 'mine' may spend money.*free = true in \[agents\.mine\]/);
    expect(agent('', 'codex')).toThrow(/agent 'codex' may spend money/);
    expect(agent('[agents.fast]\nadapter = "codex"\n', 'fast')).toThrow(/=1 to run it$/);
    expect(agent('[agents.fast]\nadapter = "loop"\n', 'fast')).toThrow(/free = true in \[agents\.fast\]/);
    expect(agent('[agents.fast]\nadapter = "loop"\nfree = true\n', 'fast')).not.toThrow();
  });

  test('is needed for a judge that is not declared free', () => {
    expect(judge(HOUSE + FREE, 'house/x')).not.toThrow();
    expect(judge(MINE + FREE, 'agent:mine/x')).not.toThrow();
    expect(judge('', 'openai/x')).toThrow(/judge openai\/x may spend money/);
    expect(judge('', 'agent:codex/x')).toThrow(/judge agent:codex\/x may spend money/);
    expect(judge(HOUSE, 'house/x')).toThrow(/free = true in \[providers\.house\]/);
    expect(judge(MINE, 'agent:mine/x')).toThrow(/free = true in \[agents\.mine\].*--no-judge/);
  });

  test('is not requested with advice that the config would refuse', () => {
    const built = '[agents.codex]\nargs = ["-c", "x=1"]\n';
    for (const check of [agent('', 'codex'), agent(built, 'codex'), judge('', 'agent:codex/x'), judge('', 'openai/x')])
      expect(check).toThrow(/^(?!.*free = true).*LLM_TOOL_TEST_ENABLED=1/);
  });

  test('is given only by the value 1', () => {
    vi.stubEnv('LLM_TOOL_TEST_ENABLED', 'true');
    expect(agent(MINE, 'mine')).toThrow(UsageError);
    expect(judge('', 'openai/x')).toThrow(UsageError);
    vi.stubEnv('LLM_TOOL_TEST_ENABLED', '1');
    expect(agent(MINE, 'mine')).not.toThrow();
    expect(judge('', 'openai/x')).not.toThrow();
  });
});
