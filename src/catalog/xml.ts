const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** Characters that XML 1.0 cannot contain, not even escaped. */
const IMPOSSIBLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

/** Escapes text for use in XML content and attributes. */
export const escapeXml = (text: string) =>
  text.replace(IMPOSSIBLE, '').replace(/[&<>"']/g, (character) => entities[character]!)

export const XML_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
