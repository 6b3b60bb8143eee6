import { renderMermaidSVG } from 'beautiful-mermaid';

/**
 * Draws the blocks marked `mermaid` when the site is built, so that pages need no script for them.
 * @param {import('markdown-it').default} markdown
 */
export function renderDiagrams(markdown) {
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (tokens, at, ...rest) => {
    const { info, content } = tokens[at];
    if (info.trim() !== 'mermaid') return fence(tokens, at, ...rest);
    const svg = renderMermaidSVG(content, {
      ...{ bg: 'var(--vp-c-bg)', fg: 'var(--vp-c-text-1)', transparent: true, font: 'Inter' },
    });
    // Vue drops styles within pages, and these would apply to the whole page, and fetch a font: theme/style.css has
    // them.
    return `<div class="diagram" v-pre>${svg.replace(/<style>[^]*?<\/style>/, '')}</div>\n`;
  };
}
