/** The style of the page, light and dark. It is a single text because the page's policy contains its hash. */
export const style = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #fff; --ink: #1b1f27; --soft: #5b6472; --line: #e1e5eb; --shade: #f0f2f5; --link: #1d5fd1;
  --pass: #17803d; --pass-bg: #e2f5e8; --fail: #c02626; --fail-bg: #fde8e8; --error: #8a2fb8; --error-bg: #f5e8fc;
  --cancelled: #946200; --cancelled-bg: #fdf1d3; --waiting: #5b6472; --waiting-bg: #eceff3;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1216; --card: #181c22; --ink: #e6e9ee; --soft: #98a2b0; --line: #2a3039; --shade: #20252d; --link: #7fb0ff;
    --pass: #56d07e; --pass-bg: #12301d; --fail: #ff8580; --fail-bg: #3d1a1a; --error: #d79bf5; --error-bg: #301a3d;
    --cancelled: #e6b84f; --cancelled-bg: #352a10; --waiting: #98a2b0; --waiting-bg: #242a32;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: 2px; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 4px; }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0; letter-spacing: -0.01em; }
h2 { font-size: 1.1rem; margin: 2.25rem 0 0.75rem; }
h3 { font-size: 0.8rem; margin: 1.25rem 0 0.4rem; color: var(--soft); text-transform: uppercase; letter-spacing: 0.05em; }
p { margin: 0.4rem 0; }
.soft { color: var(--soft); }
.text { overflow-wrap: anywhere; white-space: pre-wrap; }
.mono { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 0.87em; overflow-wrap: anywhere; }
.bar { display: block; width: 100%; height: 10px; margin: 1.1rem 0; border-radius: 5px; background: var(--waiting-bg); }
.bar .pass { fill: var(--pass); } .bar .fail { fill: var(--fail); } .bar .error { fill: var(--error); } .bar .cancelled { fill: var(--cancelled); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: 0.75rem; margin: 0; }
.tiles div { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 0.7rem 0.9rem; }
.tiles dt { color: var(--soft); font-size: 0.8rem; }
.tiles dd { margin: 0; font-size: 1.3rem; font-weight: 600; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.tiles.wide { grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); margin-top: 0.75rem; }
.tiles.wide dd { font-size: 1rem; }
.tiles dd.pass { color: var(--pass); } .tiles dd.fail { color: var(--fail); } .tiles dd.error { color: var(--error); }
.note { border: 1px solid var(--line); border-left: 4px solid var(--cancelled); background: var(--card); border-radius: 6px; padding: 0.6rem 0.9rem; margin: 1rem 0; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.45rem 0.7rem; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
thead th, thead td, tbody:first-child tr:first-child td { border-top: 0; }
th { font-weight: 600; } thead th, tfoot th, tfoot td { color: var(--soft); font-size: 0.85rem; font-weight: 500; }
table.short { max-width: 34rem; }
td.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.matrix th, .matrix td { min-width: 7rem; padding: 0.55rem 0.9rem; vertical-align: middle; }
.matrix thead b { display: block; color: var(--ink); font-size: 0.95rem; font-weight: 600; }
.entry { display: inline-flex; align-items: baseline; gap: 0.45rem; padding: 0.1rem 0.65rem; border-radius: 99px; font-weight: 600; font-variant-numeric: tabular-nums; white-space: nowrap; }
.marks { display: flex; flex-wrap: wrap; gap: 4px; margin: 0.35rem 0 0 0.2rem; max-width: 14rem; }
.marks a { width: 12px; height: 12px; border-radius: 3px; }
.marks a:hover { outline: 2px solid var(--line); }
.marks .pass { background: var(--pass); } .marks .fail { background: var(--fail); } .marks .error { background: var(--error); }
.marks .cancelled { background: var(--cancelled); } .marks .waiting { background: var(--line); }
.entry.pass, .chip.pass { color: var(--pass); background: var(--pass-bg); }
.entry.fail, .chip.fail { color: var(--fail); background: var(--fail-bg); }
.entry.error, .chip.error { color: var(--error); background: var(--error-bg); }
.entry.cancelled, .chip.cancelled { color: var(--cancelled); background: var(--cancelled-bg); }
.entry.waiting, .chip.waiting, .chip { color: var(--waiting); background: var(--waiting-bg); }
.chip { display: inline-block; padding: 0 0.55rem; border-radius: 99px; font-size: 0.8rem; font-weight: 600; line-height: 1.6; white-space: nowrap; }
.above { display: flex; justify-content: space-between; align-items: baseline; flex-wrap: wrap; gap: 0 1rem; }
.above label { color: var(--soft); font-size: 0.9rem; cursor: pointer; }
body:has(#problems:checked) .cell.pass { display: none; }
.cell { margin: 0.5rem 0; overflow: clip; border-left-width: 4px; }
.cell.pass { border-left-color: var(--pass); } .cell.fail { border-left-color: var(--fail); } .cell.error { border-left-color: var(--error); }
.cell.cancelled { border-left-color: var(--cancelled); }
summary { cursor: pointer; padding: 0.6rem 0.9rem; list-style: none; display: grid; grid-template-columns: 5.5rem 1fr auto; gap: 0.1rem 0.8rem; align-items: baseline; }
summary::-webkit-details-marker { display: none; }
summary:hover { background: var(--shade); }
summary .names { font-weight: 600; overflow-wrap: anywhere; } summary .names span { font-weight: 400; color: var(--soft); }
summary .names span::before { content: "· "; }
summary .figures { color: var(--soft); font-variant-numeric: tabular-nums; font-size: 0.87rem; text-align: right; }
summary .why { grid-column: 2 / -1; color: var(--soft); overflow-wrap: anywhere; white-space: pre-wrap; }
details[open] > summary { border-bottom: 1px solid var(--line); }
.inside { padding: 0.4rem 0.9rem 1rem; scroll-margin-top: 5rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: 0.4rem 1.25rem; margin: 0.7rem 0; }
.facts dt { color: var(--soft); font-size: 0.8rem; } .facts dd { margin: 0; overflow-wrap: anywhere; }
.inside ul { margin: 0.3rem 0; padding-left: 1.2rem; overflow-wrap: anywhere; }
.actions summary { display: list-item; list-style: disclosure-closed inside; padding: 0.25rem 0; border: 0; }
.actions[open] > summary { list-style-type: disclosure-open; }
.inside ol { margin: 0.3rem 0; padding-left: 2.2rem; overflow-wrap: anywhere; white-space: pre-wrap; }
.files { display: flex; flex-wrap: wrap; gap: 0.3rem 1.1rem; list-style: none; }
.inside ul.files { padding: 0; }
pre { margin: 0.3rem 0; padding: 0.6rem 0.8rem; background: var(--shade); border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; }
meter { width: 9rem; max-width: 100%; height: 0.9rem; vertical-align: middle; }
footer { margin-top: 2.5rem; color: var(--soft); font-size: 0.85rem; overflow-wrap: anywhere; }
@media (max-width: 40rem) { summary { grid-template-columns: auto 1fr; } summary .figures { grid-column: 1 / -1; text-align: left; } summary .why { grid-column: 1 / -1; }
  .inside .scroll td { min-width: 7rem; } }
@media print { body { background: #fff; } .above label { display: none; } }
`;
