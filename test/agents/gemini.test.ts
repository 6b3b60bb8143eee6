import { describe, expect, it } from 'vitest';
import type { AgentRequest } from '../../src/agents/agent.js';
import { geminiStream, sessionProblem } from '../../src/agents/streams/gemini.js';
import { gemini } from '../../src/agents/gemini.js';
import { survivesAnyLine } from './hostile-lines.js';
import { classify, eventsOf, linesOf, ofType } from './read-capture.js';
import { capturesOf, NO_SETTINGS, REQUEST } from './requests.js';

const agent = gemini(NO_SETTINGS);
const access = { key: 'the-key', baseUrl: null };
const launch = (changes: Partial<AgentRequest>) => agent.launch({ ...REQUEST, ...changes });
/** Goes to a private file, and nowhere else. */
const TELEMETRY = {
  GEMINI_TELEMETRY_ENABLED: 'true',
  GEMINI_TELEMETRY_TARGET: 'local',
  GEMINI_TELEMETRY_OUTFILE: '/run/config/.gemini/telemetry.log',
  GEMINI_TELEMETRY_LOG_PROMPTS: 'false',
};
const settingsOf = (changes: Partial<AgentRequest>, of = agent): unknown =>
  JSON.parse(of.launch({ ...REQUEST, ...changes }).files[0]?.content ?? '');

describe('the launch of gemini', () => {
  it('passes the prompt on standard input, and keeps all of its own files in the private folder', () => {
    const { argv, env, stdin, files } = launch({ access });
    expect(argv).toEqual(['gemini', '-o', 'stream-json', '--approval-mode', 'yolo', '--skip-trust']);
    expect(env).toEqual({
      GEMINI_CLI_HOME: '/run/config',
      GEMINI_CLI_NO_RELAUNCH: 'true',
      ...TELEMETRY,
      GEMINI_API_KEY: 'the-key',
    });
    expect(stdin).toBe('- Do it\nnow');
    expect(files.map(({ path }) => path)).toEqual(['/run/config/.gemini/settings.json']);
    expect(settingsOf({})).toMatchObject({
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
    });
  });

  it('names the model if the cell does', () => {
    expect(launch({ model: 'gemini-2.5-pro' }).argv).toContain('gemini-2.5-pro');
    expect(launch({ model: 'google/gemini-2.5-pro' }).argv).toContain('gemini-2.5-pro');
    expect(launch({ model: 'default' }).argv).not.toContain('-m');
  });

  it('uses the given address without the API version', () => {
    for (const baseUrl of ['http://proxy', 'http://proxy/', 'http://proxy/v1beta', 'http://proxy/v1'])
      expect(launch({ access: { key: null, baseUrl } }).env['GOOGLE_GEMINI_BASE_URL']).toBe('http://proxy');
  });

  it('limits the turns', () => {
    expect(settingsOf({ maxTurns: 7 })).toMatchObject({ model: { maxSessionTurns: 7 } });
    expect(settingsOf({ maxTurns: null })).not.toHaveProperty('model');
  });

  it("passes the system prompt in the user's memory file", () => {
    expect(launch({ system: 'Be brief.' }).files).toContainEqual({
      path: '/run/config/.gemini/GEMINI.md',
      content: 'Be brief.',
    });
  });

  it("adds the settings of the project's config", () => {
    const mine = gemini({ ...NO_SETTINGS, command: '/opt/gemini', args: ['--sandbox'], env: { A: 'b' } });
    const { argv, env } = mine.launch(REQUEST);
    expect(argv[0]).toBe('/opt/gemini');
    expect(argv.at(-1)).toBe('--sandbox');
    expect(env).toMatchObject({ A: 'b' });
  });

  it('leaves telemetry to the user if the config has a setting for it, so that nothing more is sent', () => {
    const env = { GEMINI_TELEMETRY_TARGET: 'gcp' };
    const { env: given } = gemini({ ...NO_SETTINGS, env }).launch(REQUEST);
    expect(Object.entries(given).filter(([name]) => name.includes('TELEMETRY'))).toEqual(Object.entries(env));
  });

  it('with the login of the user, passes neither key nor address', () => {
    const own = gemini({ ...NO_SETTINGS, auth: 'login' });
    expect(own.login?.map((file) => [file.home, file.at(REQUEST)])).toEqual([
      ['.gemini/oauth_creds.json', '/run/config/.gemini/oauth_creds.json'],
      ['.gemini/google_accounts.json', '/run/config/.gemini/google_accounts.json'],
    ]);
    expect(settingsOf({}, own)).toMatchObject({ security: { auth: { selectedType: 'oauth-personal' } } });
    const { env } = own.launch({ ...REQUEST, access: { key: 'the-key', baseUrl: 'http://proxy' } });
    expect(Object.keys(env)).toEqual([...['GEMINI_CLI_HOME', 'GEMINI_CLI_NO_RELAUNCH'], ...Object.keys(TELEMETRY)]);
  });

  it("accepts only Google's models, and cannot resume a session", () => {
    expect(agent.provider('default')).toBe('google');
    expect(agent.modelProblem('gemini-2.5-pro')).toBeNull();
    expect(agent.modelProblem('google/gemini-2.5-pro')).toBeNull();
    expect(agent.modelProblem('openai/gpt-5.5')).toMatch(/only runs Google's models.*"gemini-2\.5-flash"/);
    expect(agent.resume).toBeNull();
  });
});

describe('the stream of gemini', () => {
  it('is parsed completely, with each answer as one message', () => {
    const id = 'run_shell_command__fc_mogcnsl5jlmwqw6tua';
    const session = {
      type: 'session',
      session_id: 'ee9d3f06-7ca9-4d05-81e1-c62bc30e9ef4',
      model_requested: 'gemini-2.5-flash',
    };
    expect(eventsOf(geminiStream(), 'gemini-ok')).toEqual([
      { ...session, model_used: null },
      { type: 'message', role: 'assistant', text: 'I will run it.' },
      {
        type: 'tool_call',
        id,
        name: 'run_shell_command',
        input: { command: 'echo hello > out.txt && cat out.txt' },
        command: 'echo hello > out.txt && cat out.txt',
      },
      { type: 'tool_result', id, exit_code: null, is_error: false, output: 'hello', truncated: false },
      { type: 'message', role: 'assistant', text: 'All done: the file out.txt was created.' },
      { ...session, model_used: 'gemini-2.5-flash' },
      {
        type: 'usage',
        input: 1800,
        output: 100,
        reasoning: 0,
        cache_read: 200,
        cache_write: null,
        cost_usd: null,
      },
      { type: 'result', ending: 'done', exit_code: null },
    ]);
  });

  it('has the tokens of reasoning counted separately', () => {
    expect(ofType(eventsOf(geminiStream(), 'gemini-reasoning'), 'usage')).toMatchObject([
      { input: 2000, cache_read: 200, output: 100, reasoning: 30 },
    ]);
  });

  it('has an exit code only if gemini prints one', () => {
    const resultOf = (fields: object) => {
      const line = { type: 'tool_result', tool_id: 't', status: 'success', ...fields };
      return geminiStream().line(JSON.stringify(line))[0];
    };
    expect(resultOf({ output: 'Command exited with code: 3' })).toMatchObject({
      exit_code: 3,
      is_error: true,
    });
    expect(resultOf({ output: 'Output: a\nExit Code: 0' })).toMatchObject({ exit_code: 0, is_error: false });
    expect(resultOf({ output: 'a' })).toMatchObject({ exit_code: null, is_error: false });
    expect(resultOf({ status: 'error', error: { message: 'no such file' } })).toMatchObject({
      exit_code: null,
      is_error: true,
      output: 'no such file',
    });
  });

  it("counts each model separately, and names the most used one as the run's model", () => {
    const models = {
      big: { total_tokens: 110, input_tokens: 100, output_tokens: 10, cached: 40 },
      small: { total_tokens: 11, input_tokens: 10, output_tokens: 1, cached: 0 },
      idle: { total_tokens: 0, input_tokens: 0, output_tokens: 0, cached: 0 },
    };
    const line = { type: 'result', status: 'success', stats: { models } };
    expect(geminiStream().line(JSON.stringify(line))).toMatchObject([
      { type: 'session', model_used: 'small' },
      { type: 'usage', input: 10, output: 1 },
      { type: 'session', model_used: 'big' },
      { type: 'usage', input: 60, cache_read: 40, output: 10 },
      { type: 'result', ending: 'done' },
    ]);
  });

  it('has no result if gemini was killed, even if it exits with 0', () => {
    for (const capture of ['gemini-kill-tool.1', 'gemini-int-tool.1', 'gemini-term-model.1'])
      expect(ofType(eventsOf(geminiStream(), capture), 'result')).toEqual([]);
  });

  it('keeps a partial answer if gemini was killed while it answered', () => {
    const parser = geminiStream();
    parser.line('{"type":"message","role":"assistant","content":"half","delta":true}');
    expect(parser.end()).toEqual([{ type: 'message', role: 'assistant', text: 'half' }]);
    expect(parser.end()).toEqual([]);
  });

  it('ends at the limit of turns, whether gemini reports an error or a success', () => {
    const read = (...lines: object[]) => {
      const parser = geminiStream();
      return lines.flatMap((line) => parser.line(JSON.stringify(line))).at(-1);
    };
    const atLimit = { type: 'result', ending: 'max_turns', exit_code: null };
    const error = { type: 'FatalTurnLimitedError', message: 'Reached max session turns for this session.' };
    expect(read({ type: 'result', status: 'error', error })).toEqual(atLimit);
    expect(
      read(
        { type: 'error', severity: 'error', message: 'Maximum session turns exceeded' },
        { type: 'result', status: 'success' },
      ),
    ).toEqual(atLimit);
  });

  it('has no unknown lines in any capture, and unknown lines become unknown events', () => {
    for (const capture of capturesOf('gemini'))
      expect(ofType(eventsOf(geminiStream(), capture), 'unknown').filter(({ lost }) => lost === undefined)).toEqual([]);
    expect(geminiStream().line('{"type":"new"}')).toEqual([{ type: 'unknown', kind: 'new' }]);
    expect(geminiStream().line('YOLO mode is enabled.')).toEqual([{ type: 'unknown', kind: 'text' }]);
  });

  it('becomes valid events, whatever is printed', () => {
    survivesAnyLine(geminiStream, capturesOf('gemini').flatMap(linesOf));
  });
});

describe('the log of the telemetry of gemini', () => {
  const record = (reasons: string[], fields: object = {}): string => {
    const all = { 'event.name': 'gemini_cli.api_response', prompt_id: 's', finish_reasons: reasons };
    const attributes = { ...all, role: 'main', ...fields };
    // As `sed` prints them.
    return JSON.stringify({ attributes }, null, 2)
      .replace(/^\{\n.*\n/, '')
      .replace(/\n\}$/, '');
  };
  const FILTER = 'the answer was broken off by a content filter';

  it.each<[string, string[], string | null]>([
    ['a content filter', [record(['stop', 'content_filter'])], FILTER],
    ['a long answer', [record(['stop', 'length'])], expect.stringContaining('exceeded the token limit')],
    ['a complete answer', [record(['content_filter']), record(['stop', 'stop'])], null],
    ['an answer that goes on after a filter', [record(['content_filter', 'stop'])], null],
    ['a subagent', [record(['content_filter'], { role: 'subagent' })], null],
    ['another session', [record(['content_filter'], { prompt_id: 's2' })], null],
    ['helpers after the answer', [record(['content_filter']), record(['stop'], { role: 'utility_x' })], FILTER],
    ['an unknown reason', [record(['constructor'])], null],
    ['no reason', [record([])], null],
    ['the end of a record', [record(['content_filter']).slice(60)], null],
    ['text', ['content_filter'], null],
  ])('says why an answer is incomplete: %s', (_, records, why) => {
    expect(sessionProblem(records.join('\n'), 's')).toEqual(why);
  });
});

describe('the end of gemini', () => {
  it.each([
    ['ok', 'done', null],
    ['api429x2', 'done', null],
    ['kill-tool.1', 'unable', 'killed'],
    ['int-tool.1', 'crashed', null],
    ['term-model.1', 'crashed', null],
    ['api400', 'unable', null],
    ['api401', 'unable', null],
    ['bad-key', 'unable', null],
    ['forbidden', 'unable', null],
    ['model-not-found', 'unable', null],
    ['context-length', 'gave_up', null],
    ['refusal', 'unable', null],
    ['length', 'gave_up', null],
    ['rate-limit', 'unable', 'busy'],
    ['overloaded', 'unable', 'busy'],
    ['server-error', 'unable', 'busy'],
    ['cut', 'unable', 'busy'],
    ['reset', 'unable', 'busy'],
    ['usage-limit', 'unable', 'limit'],
  ])('in the capture %s is classified as %s', (capture, ending, why) => {
    const { again, ...rest } = classify(agent, `gemini-${capture}`);
    expect(rest.ending).toBe(ending);
    expect(again?.why ?? null).toBe(why);
  });

  it("takes the provider's status from the exit status if the message has none", () => {
    const end = { stopped: null, at: 0, result: null, stderr: '' };
    const error = { type: 'error', message: '[API Error: no words]', retryable: false } as const;
    const endingOf = (exitCode: number) => agent.classify({ ...end, error, exitCode });
    expect(endingOf(503 & 255)).toMatchObject({ ending: 'unable', again: { why: 'busy' } });
    expect(endingOf(403 & 255)).toMatchObject({ ending: 'unable', again: null });
    expect(endingOf(1)).toMatchObject({ ending: 'crashed' });
    expect(endingOf(137)).toMatchObject({ ending: 'unable', again: { why: 'killed' } });
  });

  it("takes the provider's status from the exit status for 400 to 511", () => {
    const error = { type: 'error', message: '[API Error: no words]', retryable: false } as const;
    const end = { stopped: null, at: 0, result: null, stderr: '', error };
    const endingOf = (exitCode: number) => agent.classify({ ...end, exitCode }).ending;
    expect([398, 400, 511].map((status) => endingOf(status - 256))).toEqual(['crashed', 'unable', 'unable']);
    expect(endingOf(512 - 256)).toBe('crashed');
  });

  it('is classified as an unusable login if the exit status says so', () => {
    const stderr = 'Ripgrep is not available. Falling back to GrepTool.\nFailed to exchange the code\n';
    expect(agent.classify({ exitCode: 41, stopped: null, at: 0, result: null, error: null, stderr })).toMatchObject({
      ending: 'unable',
      message: 'its key was refused: Failed to exchange the code',
      again: null,
    });
  });
});
