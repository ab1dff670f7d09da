/* Registers the worker that shows a page when there is no network, once the page is loaded. */
if ('serviceWorker' in navigator)
  addEventListener('load', () => {
    navigator.serviceWorker.register('/service-worker.js').catch(() => {})
  })
