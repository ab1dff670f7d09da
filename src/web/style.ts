import { Html } from './html.ts'

/** The colours, type and pieces of the look. One sheet, inlined: the first paint waits for nothing. */
export const style = new Html(`
:root {
  --bg: #f6f3ec; --surface: #fffdf8; --ink: #14202b; --soft: #4a5a68; --line: #d9d2c3; --accent: #b3401a; --link: #0b5a77;
  --sans: "Instrument Sans", system-ui, -apple-system, "Segoe UI", sans-serif; --mono: "IBM Plex Mono", ui-monospace, "Cascadia Mono", Menlo, monospace;
  color-scheme: light dark;
}
@media (prefers-color-scheme: dark) {
  :root { --bg: #0d151d; --surface: #14202b; --ink: #efe9dc; --soft: #a8b4bf; --line: #2b3a48; --accent: #ff8a5c; --link: #6cc5e6; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--ink); font: 17px/1.5 var(--sans); }
.bar { border-bottom: 1px solid var(--line); background: var(--surface); padding: 12px 24px; }
.brand { font-weight: 700; color: var(--ink); text-decoration: none; letter-spacing: .02em; }
main { max-width: 960px; margin: 0 auto; padding: 32px 24px 80px; overflow-wrap: anywhere; }
h1 { font-size: clamp(28px, 5vw, 40px); line-height: 1.1; margin: 0 0 16px; }
h2 { font-size: 28px; line-height: 1.1; margin: 56px 0 16px; }
h3 { font-size: 17px; margin: 0 0 8px; } h4 { font-size: 15px; margin: 16px 0 4px; }
p { max-width: 70ch; margin: 0 0 12px; } a { color: var(--link); } a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
small, .soft { color: var(--soft); font-size: 15px; font-weight: 400; }
code, .mono { font-family: var(--mono); font-size: .9em; }
.contents { list-style: none; padding: 0; margin: 0 0 24px; } .contents li { padding: 4px 0; } .contents a { text-decoration: none; } .group { font-size: 17px; margin: 24px 0 4px; }
.operation { background: var(--surface); border: 1px solid var(--line); border-radius: 6px; padding: 16px 20px; margin: 0 0 16px; }
.method { font: 600 13px/1 var(--mono); border: 1px solid currentColor; border-radius: 4px; padding: 3px 6px; color: var(--link); }
.method-post, .method-put, .method-patch, .method-delete { color: var(--accent); }
table { border-collapse: collapse; width: 100%; font-size: 15px; } th, td { text-align: left; padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
dl { display: grid; grid-template-columns: 4ch 1fr; gap: 4px 16px; margin: 0; font-size: 15px; } dd { margin: 0; }
.fields { margin: 4px 0; padding-left: 20px; font-size: 15px; }
`)
