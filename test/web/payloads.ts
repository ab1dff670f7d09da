/** Sets a flag if it runs. */
const RUN = 'globalThis.ran=1'

const carriers = [
  (js: string) => `<script>${js}</script>`,
  (js: string) => `"><script>${js}</script>`,
  (js: string) => `'><img src=x onerror=${js}>`,
  (js: string) => `<img src=x onerror="${js}">`,
  (js: string) => `<svg onload=${js}>`,
  (js: string) => `</title><svg/onload=${js}>`,
  (js: string) => `</textarea><body onload=${js}>`,
  (js: string) => `<iframe srcdoc="<script>parent.${js}</script>">`,
  (js: string) => `<details open ontoggle=${js}>`,
  (js: string) => `<input autofocus onfocus=${js}>`,
  (js: string) => `[link](javascript:${js})`,
  (js: string) => `[link](<javascript:${js}>)`,
  (js: string) => `![pic](javascript:${js})`,
  (js: string) => `![pic](x"onerror="${js})`,
  (js: string) => `[a](https://example.com/"onmouseover="${js})`,
  (js: string) => `<javascript:${js}>`,
  (js: string) => `[x]: javascript:${js}\n\n[x]`,
  (js: string) => `</script><script>${js}</script>`,
  (js: string) => `{"a":"</script><script>${js}</script>"}`,
  (js: string) => `<math><mtext><style><img src=x onerror=${js}>`,
  (js: string) => `<a href="javascript:${js}">x</a>`,
  (js: string) => `<form><button formaction="javascript:${js}">x`,
  (js: string) => `<style>@import 'javascript:${js}';</style>`,
  (js: string) => `<object data="javascript:${js}">`,
  (js: string) => `\`<img src=x onerror=${js}>\``,
  (js: string) => `    <script>${js}</script>`,
  (js: string) => `<!--><script>${js}</script>-->`,
  (js: string) => `&lt;script&gt;${js}&lt;/script&gt;`,
  (js: string) => `<scr<script>ipt>${js}</scr</script>ipt>`,
  (js: string) => `\u2028<script>${js}</script>`,
]

const disguises = [
  (text: string) => text,
  (text: string) => text.toUpperCase().replaceAll('GLOBALTHIS.RAN=1', RUN),
  (text: string) => text.replaceAll('<', '%3C'),
  (text: string) => text.replaceAll('javascript:', 'java\tscript:'),
  (text: string) => text.replaceAll('javascript:', '&#106;avascript:'),
  (text: string) => text.replaceAll('=', ' = '),
  (text: string) => text.replaceAll(' ', '/'),
  (text: string) => text.replaceAll('"', '&quot;'),
  (text: string) => `\\${text}`,
  (text: string) => `**${text}**`,
  (text: string) => `> ${text}`,
  (text: string) => `- ${text}`,
  (text: string) => `# ${text}`,
]

/** Distinct attempts to inject script. */
export function payloads(count: number): string[] {
  const scripts = [RUN, `${RUN};//`, `(()=>{${RUN}})()`]
  const all = scripts.flatMap((js) =>
    carriers.flatMap((carrier) => disguises.map((disguise) => disguise(carrier(js)))),
  )
  const distinct = [...new Set(all)]
  for (let i = 0; distinct.length < count; i++)
    distinct.push(`${carriers[i % carriers.length]!(RUN)} ${i}`)
  return distinct.slice(0, count)
}
