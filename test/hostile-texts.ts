/** Texts that a terminal, a browser, Markdown, XML or a CI service could take for more than text. */
export const HOSTILE_TEXTS: Readonly<Record<string, string>> = {
  'the end of a script': '</script><script>window.hacked = 1</script>',
  'an element with a handler': '<img src=x onerror="window.hacked = 2">',
  'a link that runs something': '<a href="javascript:window.hacked=3">javascript:window.hacked=4</a>',
  'a frame': '<iframe srcdoc="<script>parent.hacked=5</script>"></iframe>',
  'the end of a style, a title and a comment': '</style></title>--><b>bold</b>',
  'a link and an image of Markdown':
    '[see](javascript:window.hacked=6) ![see](https://evil.example/x.png) [a]: https://evil.example',
  'a table, a fence and a heading of Markdown': '| a | b |\n```\n# heading\n</details>',
  'the end of CDATA and a reference': ']]>&lt;&#x1b;&bogus;',
  'a command of GitHub': '::error::pwned\n::set-output name=x::y',
  'colours, and a cleared screen': '\u001b[31mred\u001b[0m \u001b[2J\u001b[1;1H',
  'a link of a terminal': '\u001b]8;;https://evil.example/\u0007link\u001b]8;;\u0007',
  'a write to the clipboard': '\u001b]52;c;aGFja2Vk\u0007 \u001b]52;c;aGFja2Vk\u001b\\',
  'a title of a terminal, and one that does not end': '\u001b]0;title\u001b\\ \u001bP1$r\u001b\\ \u001b]0;open',
  'reversed text': 'user\u202egnp.exe \u2066isolated\u2069',
  'control characters': 'nul\u0000 bell\u0007 back\u0008 c1\u009b31m del\u007f',
  'a line that overwrites itself': 'all is well\rbad',
  'half a character and a line separator': 'half\ud83d end\u2028next\ufffe',
};

/** All of them. */
export const HOSTILE = Object.values(HOSTILE_TEXTS).join('\n');

/**
 * Characters that no page, terminal or Markdown may contain: control characters besides tab and newline, and those that
 * reverse text.
 */
export const CONTROL = /[\0-\b\v-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

/** The length of a line that is long enough to harm whoever prints it. */
export const LONGEST_LINE = 5 * 1024 * 1024;
