/** Buttons, keys and small pictures for a strip that scrolls by itself. */
class PictureGallery extends HTMLElement {
  connectedCallback() {
    const strip = this.querySelector('.strip')
    const thumbs = [...this.querySelectorAll('.thumbs a')]
    if (!strip || !thumbs.length) return
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches
    const at = () => Math.round(strip.scrollLeft / strip.clientWidth)
    const show = (i) => {
      const to = Math.max(0, Math.min(i, thumbs.length - 1))
      strip.scrollTo({ left: to * strip.clientWidth, behavior: calm ? 'instant' : 'smooth' })
    }
    for (const button of this.querySelectorAll('.step')) {
      button.hidden = false
      button.addEventListener('click', () => show(at() + Number(button.dataset.step)))
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
      show(Number.isFinite(step) ? at() + step : step < 0 ? 0 : thumbs.length - 1)
    })
    let now = 0
    strip.addEventListener('scroll', () => {
      if (at() === now) return
      thumbs[now]?.removeAttribute('aria-current')
      now = at()
      thumbs[now]?.setAttribute('aria-current', 'true')
      const list = thumbs[now]?.closest('.thumbs')
      list?.scrollTo({ left: thumbs[now].offsetLeft - list.clientWidth / 2 })
    })
  }
}
customElements.define('picture-gallery', PictureGallery)
