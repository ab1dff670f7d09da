/*
 * Shows a page when there is no network. It keeps that page and nothing else, and leaves alone
 * everything but the opening of pages.
 */
const CACHE = 'offline'
const PAGE = '/offline.html'
const FILES = /^\/(api|download|media|assets|cli)\/|\.zip$/

self.addEventListener('install', (event) => {
  const keep = async () => {
    const cache = await caches.open(CACHE)
    await cache.add(new Request(PAGE, { cache: 'reload' }))
    await self.skipWaiting()
  }
  event.waitUntil(keep())
})

self.addEventListener('activate', (event) => {
  const start = async () => {
    // The browser requests a page while the worker starts, so the worker costs no time.
    await self.registration.navigationPreload?.enable()
    await self.clients.claim()
  }
  event.waitUntil(start())
})

self.addEventListener('fetch', (event) => {
  const { mode, method, url } = event.request
  if (mode !== 'navigate' || method !== 'GET' || FILES.test(new URL(url).pathname)) return
  const open = async () => {
    try {
      return (await event.preloadResponse) ?? (await fetch(event.request))
    } catch {
      return (await caches.match(PAGE)) ?? Response.error()
    }
  }
  event.respondWith(open())
})
