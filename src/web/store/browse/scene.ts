import { Html } from '../../components/html.ts'

/** A ship on a slipway, drawn for the home page. The colors come from the style sheet. */
const blocks = Array.from({ length: 9 }, (_, i) => {
  const x = 52 + i * 44
  const y = 118 + i * 14.6
  return `<path class="sc-ink" d="M${x} ${y}h20v9h-20z"/>`
})
const marks = Array.from({ length: 7 }, (_, i) => {
  const is_odd = i % 2
  return `<path class="sc-line" d="M${455 + is_odd * 8} ${150 + i * 14}h${14 - is_odd * 8}"/>`
})
const WAVE = 'q20-8 40 0t40 0 40 0 40 0 40 0 40 0 40 0 40 0 40 0 40 0 40 0 40 0 40 0'
const waves = [262, 278, 294, 310].map(
  (y, i) => `<path class="sc-sea sc-sea-${i}" d="M${-20 + i * 14} ${y}${WAVE}"/>`,
)

const ship = `
<g class="sc-ship">
<path class="sc-hull" d="M84 92c64 22 170 56 262 86l38-6-24 44c-84-24-196-62-258-86z"/>
<path class="sc-stripe" d="M98 118c70 26 178 62 268 88l-6 10c-84-24-196-62-258-86z"/>
<path class="sc-house" d="m176 118 2-44 84 24 6 50zM196 80v-34l10 3v34z"/>
<path class="sc-line" d="m300 150 10-84M310 66l-70 30M310 66l52 96"/>
<path class="sc-flag" d="m310 66 34 12-30 12z"/>
</g>`

export const scene = new Html(`
<svg class="scene" viewBox="0 0 520 330" role="presentation" aria-hidden="true"
  preserveAspectRatio="xMidYMid slice">
<circle class="sc-sun" cx="404" cy="74" r="34"/>
<g class="sc-rails"><path d="M20 120 500 279M20 136 460 282"/></g>
${blocks.join('')}${ship}${marks.join('')}${waves.join('')}
</svg>`)
