/** Adds buttons, keys and thumbnails to a strip of images that scrolls. */
class PictureGallery extends HTMLElement {
  connectedCallback() {
    const strip = this.querySelector('.strip')
    const thumbs = [...this.querySelectorAll('.thumbs a')]
    if (!strip || !thumbs.length) return
    const reduced_motion = matchMedia('(prefers-reduced-motion: reduce)').matches
    const position = () => Math.round(strip.scrollLeft / strip.clientWidth)
    const show = (i) => {
      const index = Math.max(0, Math.min(i, thumbs.length - 1))
      strip.scrollTo({
        left: index * strip.clientWidth,
        behavior: reduced_motion ? 'instant' : 'smooth',
      })
    }
    for (const button of this.querySelectorAll('.step')) {
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
      const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key]
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
customElements.define('picture-gallery', PictureGallery)
