import { expect, onTestFinished, test } from 'vitest';
import { copyExamples, createProject, openRun, scenario } from '../../commands/project.js';
import { CLI_NAMES, provideCli } from '../clis.js';
import { serve } from '../serve.js';
import { MODELS } from './models.js';

const LOW = '"orders":[{"item":"cables","count":50,"supplier":"Wire & Co"}';

test.each(CLI_NAMES)(
  'the real %s gets the answer of a context script, finds scripts with ls and README, and runs one',
  async (agent) => {
    const program = await provideCli(agent, console.log);
    const project = await createProject({
      'llm-tool-test-config.toml': `[agents.${agent}]\ncommand = ${JSON.stringify(program)}\nmodels = ["${MODELS[agent]}"]\n`,
    });
    onTestFinished(() => project.remove());
    await copyExamples(project);
    const order = "printf -- '- cables: 50 of Wire & Co\\n- lamps: 12 of Bright Ltd\\n' > orders.md";
    const server = await serve({
      steps: [
        { run: 'ls .agents/scripts' },
        { run: 'cat .agents/scripts/check-orders/README.md' },
        { run: order },
        { run: 'deno run --allow-read=. .agents/scripts/check-orders/run.ts orders.md' },
        { say: 'One order is missing.' },
      ],
    });
    const missing =
      '{type: agent_script, script: check-orders, args: [orders.md], path: $.missing, assertion: len == 1}';
    const text = scenario('shop', {
      target: `{binary: deno, command_pattern: '\\.agents/scripts/(\\S+)/run\\.ts'}`,
      gates: [missing, "{type: command_called, pattern: 'check-orders/run\\.ts'}"],
      more: `tool_matrix: [{agent: ${agent}}]`,
    });
    await project.write(
      'fixtures/shop.yaml',
      text
        .replace('template_folder: empty', 'template_folder: agent_scripts')
        .replace('"do it"', '"Order what is low.", context: [{script: low-stock}]'),
    );
    const env: Record<string, string> = { LLM_TOOL_TEST_ENABLED: '1' };
    for (const maker of ['ANTHROPIC', 'OPENAI', 'GEMINI']) env[`${maker}_API_KEY`] = 'key-of-the-test';
    for (const maker of ['ANTHROPIC', 'OPENAI', 'GOOGLE_GEMINI']) env[`${maker}_BASE_URL`] = server.url;

    const { document } = await project.run(['shop'], env);
    const { run, metrics, text: read } = await openRun(document);
    expect(run).toMatchObject({ outcome: 'pass', agent: { ending: 'done' } });
    expect(metrics.efficiency).toMatchObject({ total_commands: 1, error_count: 0 });
    const tasks = server.requests.filter(({ number }) => number !== null);
    expect(tasks.length).toBeGreaterThan(4);
    for (const { system, prompts } of tasks) {
      expect(system).toContain(LOW);
      expect(prompts.join('\n')).not.toContain(LOW);
    }
    // The output of README and script got back to the model, and is in the transcript.
    const human = await read('artifacts/transcript.human.txt');
    expect(human).toContain(LOW);
    expect(human).toContain('Compares a list of orders with what is low in stock');
    expect(human).toContain('2 of 3 orders');
  },
);
