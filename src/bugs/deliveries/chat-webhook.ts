/** The website of the chat service and its two test versions have the same webhooks. */
const SITE = /^(https?:\/\/)(?:www|ptb|canary)\./
/** Webhooks may name a version of the API. */
const API_VERSION = /^(https?:\/\/[^/]+\/api)\/v\d+(?=\/webhooks\/)/

/** The chat service is known by the prefixes of its webhooks; it accepts only embeds. */
export function isChatWebhook(url: string, prefixes: readonly string[]): boolean {
  const { href } = new URL(url)
  const shortest = href.replace(SITE, '$1').replace(API_VERSION, '$1')
  return prefixes.some((prefix) => href.startsWith(prefix) || shortest.startsWith(prefix))
}
