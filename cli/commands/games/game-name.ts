/** developer/game, or the address of its page, which also names the store. */
export function readName(text: string): { name: string; store: string | undefined } {
  const url = /^https?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined
  return { name: (url?.pathname ?? text).replace(/^\/+|\/+$/g, ''), store: url?.origin }
}
