/** Adds buttons, keys and thumbnails to a strip of images that scrolls. */
class PictureGallery extends HTMLElement {
  connectedCallback() {
    connectLightbox(this)
    const strip = this.querySelector('.strip')
    const thumbs = [...this.querySelectorAll('.thumbs a')]
    if (!strip || !thumbs.length) return
    const reduced_motion = matchMedia('(prefers-reduced-motion: reduce)').matches
    // Where text runs from right to left, so do the images, and positions are negative.
    const forward = getComputedStyle(strip).direction === 'rtl' ? -1 : 1
    const position = () => Math.round((forward * strip.scrollLeft) / strip.clientWidth)
    const show = (i) => {
      const index = Math.max(0, Math.min(i, thumbs.length - 1))
      strip.scrollTo({
        left: forward * index * strip.clientWidth,
        behavior: reduced_motion ? 'instant' : 'smooth',
      })
    }
    for (const button of this.querySelectorAll('.gallery-bar .step')) {
      button.hidden = false
      button.addEventListener('click', () => show(position() + Number(button.dataset.step)))
    }
    thumbs.forEach((thumb, i) => {
      thumb.addEventListener('click', (event) => {
        event.preventDefault()
        show(i)
      })
    })
    strip.addEventListener('keydown', (event) => {
      const step = { ArrowLeft: -forward, ArrowRight: forward, Home: -Infinity, End: Infinity }[
        event.key
      ]
      if (step === undefined) return
      event.preventDefault()
      show(Number.isFinite(step) ? position() + step : step < 0 ? 0 : thumbs.length - 1)
    })
    let current = 0
    strip.addEventListener('scroll', () => {
      if (position() === current) return
      thumbs[current]?.removeAttribute('aria-current')
      current = position()
      thumbs[current]?.setAttribute('aria-current', 'true')
      const list = thumbs[current]?.closest('.thumbs')
      list?.scrollTo({ left: thumbs[current].offsetLeft - list.clientWidth / 2 })
    })
  }
}
const SWIPE_PIXELS = 40

/** Shows an image in full size in a dialog, with keys, buttons, swipes and its caption. */
function connectLightbox(gallery) {
  const dialog = gallery.querySelector('.lightbox')
  const links = [...gallery.querySelectorAll('.strip > a')]
  if (!dialog?.showModal) return
  const image = dialog.querySelector('img')
  let current = 0
  const show = (i) => {
    current = (i + links.length) % links.length
    const { href, dataset } = links[current]
    // The smaller picture of the page is shown until the original is loaded.
    image.src = links[current].querySelector('picture img, img:last-of-type')?.currentSrc || href
    image.alt = links[current].querySelector('img[alt]:not([alt=""])')?.alt ?? ''
    const original = new Image()
    original.onload = () => {
      if (links[current].href === href) image.src = href
    }
    original.src = href
    dialog.querySelector('.lightbox-caption').textContent = dataset.caption
    const position = dialog.dataset.position.replace('{number}', current + 1)
    dialog.querySelector('.lightbox-position').textContent = position
  }
  links.forEach((link, i) => {
    link.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return
      event.preventDefault()
      show(i)
      dialog.showModal()
    })
  })
  for (const button of dialog.querySelectorAll('[data-step]')) {
    button.hidden = false
    button.addEventListener('click', () => show(current + Number(button.dataset.step)))
  }
  const rtl = document.documentElement.dir === 'rtl' ? -1 : 1
  dialog.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -rtl, ArrowRight: rtl }[event.key]
    if (step) show(current + step)
  })
  dialog.addEventListener('close', () => links[current].focus())
  // A click beside the image closes, as people expect of a dialog.
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog || event.target.localName === 'figure') dialog.close()
  })
  let start
  dialog.addEventListener('pointerdown', ({ clientX, isPrimary }) => {
    start = isPrimary ? clientX : undefined
  })
  dialog.addEventListener('pointerup', ({ clientX }) => {
    const distance = start === undefined ? 0 : clientX - start
    start = undefined
    if (Math.abs(distance) >= SWIPE_PIXELS) show(current + (distance < 0 ? rtl : -rtl))
  })
}
customElements.define('picture-gallery', PictureGallery)

/**
 * Loads a video of another host into the page, but only after a click. Without script the card is a
 * link to the video.
 */
class OutsideVideo extends HTMLElement {
  connectedCallback() {
    const link = this.querySelector('a')
    link?.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return
      event.preventDefault()
      const frame = document.createElement('iframe')
      const address = new URL(this.dataset.src)
      address.searchParams.set('autoplay', '1')
      frame.title = this.dataset.title
      frame.width = '1280'
      frame.height = '720'
      frame.allow = 'autoplay; encrypted-media; fullscreen; picture-in-picture'
      // The host may run its player, but not leave the page or open forms.
      frame.setAttribute(
        'sandbox',
        'allow-scripts allow-same-origin allow-presentation allow-popups',
      )
      // Hosts refuse to play without knowing the site; they do not learn the page.
      frame.referrerPolicy = 'strict-origin-when-cross-origin'
      frame.src = address.href
      link.replaceWith(frame)
      frame.focus()
    })
  }
}
customElements.define('outside-video', OutsideVideo)
