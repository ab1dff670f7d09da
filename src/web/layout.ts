import type { FastifyReply } from 'fastify'
import { type Html, html } from './html.ts'
import { style } from './style.ts'

export type Page = { title: string; body: Html }

/** The frame of every page. Nothing is fetched from elsewhere and no script runs, and the browser is told so. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

export function page(reply: FastifyReply, { title, body }: Page): FastifyReply {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Slipway</title>
<style>${style}</style>
</head>
<body>
<header class="bar"><a class="brand" href="/">Slipway</a></header>
<main>${body}</main>
</body>
</html>`
  reply.headers({ 'content-security-policy': policy, 'referrer-policy': 'same-origin' })
  return reply.type('text/html; charset=utf-8').send(document.markup)
}
