// Makes the images of the README: the terminal output of a real run, Temporal's Web UI showing that run, and the live
// view of a sweep of 24 agents in terminals of two sizes, and the viewer. `--only live`, for example, makes only these.
// Needs chromium, tmux, and `script` of util-linux to give the command a terminal. Works in /tmp/demo, so that no image
// shows a path of your machine.
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { ansiToHtml } from './ansi-to-html.js';
import { makeShop } from './demo/viewer/make-shop.js';
import { photographViewer } from './demo/viewer/photograph.js';
import { openTerminal } from './tmux.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const pictures = join(root, 'specs/images');
const cli = join(root, 'dist/cli.js');
const demo = '/tmp/demo';
const state = '/tmp/demo-state';
const chromium = process.env['CHROMIUM'] ?? 'chromium';

const COLUMNS = 118;
const env = {
  ...process.env,
  LLM_TOOL_TEST_HOME: state,
  FORCE_COLOR: '1',
  TERM: 'xterm-256color',
  COLUMNS: String(COLUMNS),
  NO_COLOR: '',
  CI: '',
};

/** @param {string[]} args */
const call = (...args) => spawnSync(cli, args, { cwd: demo, env, encoding: 'utf8' });

/**
 * Returns what the command prints on a terminal, including colours.
 * @param {string} command
 */
function onTerminal(command) {
  const words = `stty cols ${COLUMNS} rows 50; '${cli}' ${command}`;
  return spawnSync('script', ['-qec', words, '/dev/null'], { cwd: demo, env, encoding: 'utf8' }).stdout;
}

/**
 * @param {string} name
 * @param {string} url
 * @param {[number, number]} size
 */
function photograph(name, url, [width, height]) {
  const file = join(pictures, `${name}.png`);
  execFileSync(chromium, [
    ...['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--virtual-time-budget=15000'],
    ...[`--user-data-dir=${state}/chromium`, `--window-size=${width},${height}`],
    ...[`--screenshot=${file}`, url],
  ]);
  console.log(file);
}

/** @param {string} output */
function terminalPage(output) {
  const style =
    'body{margin:0;background:#0d1117;color:#d6dde6}pre{margin:0;padding:18px 22px;font:14px/1.45 "DejaVu Sans Mono",monospace}';
  return `<!doctype html><meta charset="utf-8"><style>${style}</style><pre>${ansiToHtml(output)}</pre>`;
}

/** Creates a project with `init`, and adds a script that stands in for an agent. */
function makeDemo() {
  for (const folder of [demo, state]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(demo, { recursive: true });
  call('init');
  const config = join(demo, 'llm-tool-test-config.toml');
  // Appended, because in TOML the root's values must come before tables.
  appendFileSync(config, `\n${readFileSync(join(root, 'scripts/demo/agents.toml'), 'utf8')}`);
  for (const script of ['agent.sh', 'working-agent.sh']) cpSync(join(root, 'scripts/demo', script), join(demo, script));
}

/**
 * True if images are to be made: all, or those that follow `--only`.
 * @param {string} part
 */
const isWanted = (part) => !process.argv.includes('--only') || process.argv.includes(part);

/** Photographs the viewer with a sweep that has ended and one in mid-flight. */
async function photographShop() {
  makeShop(demo);
  call(...'run stock_delivery stock_damage --agents clerk,mock --name shop'.split(' '));
  call(...'run stock_delivery --agents slow-clerk --name night --no-cache --detach'.split(' '));
  await photographViewer({
    cli,
    cwd: demo,
    env,
    pictures,
    browser: chromium.startsWith('/') ? chromium : `/usr/bin/${chromium}`,
    sweep: 'a.name:has-text("shop-")',
    live: 'a.name:has-text("night-")',
  });
  call('cancel', 'latest');
}

function photographResult() {
  const command = 'run stock_delivery --agents mock,ours --repeat 2';
  call(...command.split(' '));
  // `show` prints the same result as `run`, without progress lines.
  const shown = onTerminal('show latest');
  const page = join(state, 'terminal.html');
  writeFileSync(page, terminalPage(`\u001b[2m$\u001b[22m npx --no llm-tool-test ${command}\n${shown}`));
  photograph('terminal', `file://${page}`, [1110, 350]);
  const { ui_url: url } = JSON.parse(call('show', 'latest', '--json').stdout);
  photograph('web-ui', url, [1280, 900]);
}

/**
 * The terminals in which the live view is shown.
 * @type {[number, number]}
 */
const SMALL = [80, 24];
/** @type {[number, number]} */
const LARGE = [100, 30];
/** Pixels of a character, and of the border of a page. */
const [CHARACTER, LINE] = [8.43, 20.3];
const [BORDER_X, BORDER_Y] = [44, 36];

/**
 * Photographs the live view of a sweep of 24 agents in mid-flight, as `run` shows it, and `show --follow` in a larger
 * terminal.
 */
async function photographLiveView() {
  const inTerminal = { cwd: demo, env: { ...env, COLUMNS: '' } };
  const command = `'${cli}' run stock_delivery --agents working --repeat 24 --concurrency 24 --no-cache --name nightly`;
  const first = openTerminal('demo-run', { ...inTerminal, command, size: SMALL });
  try {
    await untilScreen(first, /\b24 running/);
    const second = openTerminal('demo-follow', {
      ...inTerminal,
      command: `'${cli}' show latest --follow`,
      size: LARGE,
    });
    try {
      for (const terminal of [first, second])
        await untilScreen(terminal, /[1-9] failed .*\b24 running(?:[^]*\bagent .*\w\n){7}/);
      for (const [terminal, [columns, rows]] of /** @type {const} */ ([
        [first, SMALL],
        [second, LARGE],
      ])) {
        const page = join(state, `live-${columns}x${rows}.html`);
        writeFileSync(page, terminalPage(terminal.screen()));
        photograph(`live-${columns}x${rows}`, `file://${page}`, [
          Math.ceil(columns * CHARACTER) + BORDER_X,
          Math.ceil(rows * LINE) + BORDER_Y,
        ]);
      }
    } finally {
      second.close();
    }
  } finally {
    first.close();
    call('cancel', 'latest');
  }
}

/**
 * @param {{ screen: () => string }} terminal
 * @param {RegExp} pattern
 */
async function untilScreen({ screen }, pattern) {
  for (let seconds = 0; seconds < 300; seconds++) {
    if (pattern.test(stripVTControlCharacters(screen()))) return;
    await sleep(1000);
  }
  throw new Error(`the terminal did not show ${pattern}:\n${screen()}`);
}

for (const folder of [demo, state])
  if (existsSync(folder) && !process.argv.includes('--replace'))
    throw new Error(`${folder} is there; look what it is, and call this with --replace to have it removed`);

makeDemo();
try {
  mkdirSync(pictures, { recursive: true });
  // Start the engine first, so that its messages are not in the image.
  call('engine', 'start');
  if (isWanted('result')) photographResult();
  if (isWanted('live')) await photographLiveView();
  if (isWanted('viewer')) await photographShop();
} finally {
  call('engine', 'stop');
  for (const folder of [demo, state]) rmSync(folder, { recursive: true, force: true });
}
